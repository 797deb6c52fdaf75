import type { StandardSchema } from '../../http/index.js';

/** A JSON Schema as a plain object. The dialect is 2020-12 unless `$schema` names another. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Describes a tool's input or output, or a prompt's arguments. */
export type Schema = StandardSchema | JsonSchema;

/** The type of a handler's `input`: the output type of the schema; without a schema, an empty object. */
export type InputOf<S> = [S] extends [never]
  ? Readonly<Record<never, unknown>>
  : S extends StandardSchema<unknown, infer Output>
    ? Output
    : FromJsonSchema<S>;

/** The type that a handler must return for `output`: the input type of the schema. */
export type OutputOf<S> = [S] extends [never]
  ? unknown
  : S extends { readonly '~standard': { readonly types?: { readonly input: infer Input } | undefined } }
    ? Input
    : FromJsonSchema<S>;

/** The type that an inline JSON Schema describes; `unknown` if it needs more than plain keywords. */
export type FromJsonSchema<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly type: infer Type }
      ? Typed<S, Type>
      : unknown;

type Typed<S, Type> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? S extends { readonly items: infer Items }
            ? readonly FromJsonSchema<Items>[]
            : readonly unknown[]
          : Type extends 'object'
            ? ObjectOf<S>
            : unknown;

type ObjectOf<S> = S extends { readonly properties: infer Properties }
  ? Flat<
      { readonly [Name in keyof Properties & RequiredOf<S>]: FromJsonSchema<Properties[Name]> } & {
        readonly [Name in Exclude<keyof Properties, RequiredOf<S>>]?: FromJsonSchema<Properties[Name]>;
      }
    >
  : Readonly<Record<string, unknown>>;

type RequiredOf<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;
type Flat<T> = { [Key in keyof T]: T[Key] };
