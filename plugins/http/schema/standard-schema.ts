/** A schema of any library (Standard Schema v1, standardschema.dev): checks a value, and may give its JSON Schema. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    /** The library that made it: `zod`, `valibot`, `arktype`. */
    readonly vendor: string;
    readonly validate: (value: unknown) => Checked<Output> | Promise<Checked<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema. Both throw for what JSON Schema cannot say. */
    readonly jsonSchema?: {
      readonly input: (options: JsonSchemaOptions) => Record<string, unknown>;
      readonly output: (options: JsonSchemaOptions) => Record<string, unknown>;
    };
  };
}

export interface JsonSchemaOptions {
  readonly target: 'draft-2020-12';
  /** Options that only one library knows. */
  readonly libraryOptions?: Record<string, unknown> | undefined;
}

/** The result of a check. */
export type Checked<Output = unknown> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** One mistake that a check found, and where in the value it is. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type that goes into a schema; `Fallback` where there is none. */
export type In<S, Fallback = unknown> = [S] extends [never]
  ? Fallback
  : S extends StandardSchema
    ? NonNullable<S['~standard']['types']>['input']
    : Fallback;

/** The type that comes out of a schema's check; `Fallback` where there is none. */
export type Out<S, Fallback = unknown> = [S] extends [never]
  ? Fallback
  : S extends StandardSchema
    ? NonNullable<S['~standard']['types']>['output']
    : Fallback;

/** Whether `value` is a schema. Some libraries make schemas that are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if (!isObjectOrFunction(value) || !('~standard' in value)) return false;
  const standard = value['~standard'];
  return isObjectOrFunction(standard) && 'validate' in standard && typeof standard.validate === 'function';
}

const isObjectOrFunction = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

/** Where an issue is: `['author', 0, 'name']`. */
export const pathOf = ({ path = [] }: SchemaIssue): (string | number)[] =>
  // Not `map`: libraries have lists of their own classes, whose `map` gives another one of those.
  Array.from(path, (part) => {
    const key = typeof part === 'object' ? part.key : part;
    return typeof key === 'number' ? key : String(key);
  });

/** `author.name: must be a string; year: …` */
export const describeIssues = (issues: readonly SchemaIssue[]): string =>
  issues
    .map((issue) => {
      const place = pathOf(issue).join('.');
      return place === '' ? issue.message : `${place}: ${issue.message}`;
    })
    .join('; ');
