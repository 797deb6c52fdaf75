import { LIBRARY_OPTIONS } from './library-options.js';
import type { StandardSchema } from './standard-schema.js';

/** A JSON Schema (2020-12). */
export type Json = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema (2020-12) of what goes into a schema or comes out of it, as JSON or a form has it: a Date is a text. What has no
 * JSON Schema within it takes anything. Undefined where its library cannot tell: valibot without `toStandardJsonSchema`, zod
 * before 4.2.
 */
export function jsonSchemaOf(schema: StandardSchema, side: 'input' | 'output'): Json | undefined {
  const { vendor, jsonSchema } = schema['~standard'];
  try {
    return jsonSchema?.[side]({ target: 'draft-2020-12', libraryOptions: LIBRARY_OPTIONS[vendor] });
  } catch {
    return undefined;
  }
}

/** Whether `value` is a JSON Schema that says something: not `true`, `false` or `{}`. */
export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The schemas in a list: those of `anyOf`, say. */
export const listed = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isJson) : []);

/** The schema that a reference within `root` leads to; a schema without a reference is itself. */
export function dereferenced(schema: Json, root: Json): Json {
  const { $ref } = schema;
  if (typeof $ref !== 'string' || !$ref.startsWith('#')) return schema;
  const found = $ref
    .slice(1)
    .split('/')
    .filter((key) => key !== '')
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((inner, key) => (isJson(inner) ? inner[key] : undefined), root);
  return isJson(found) ? found : {};
}

/** What an object may hold: the schemas of each property, one for each alternative, and of all other properties. */
export interface ObjectShape {
  readonly named: ReadonlyMap<string, readonly Json[]>;
  readonly others: readonly Json[];
}

export function shapeOf(root: Json): ObjectShape {
  const named = new Map<string, Json[]>();
  const others: Json[] = [];
  const visit = (schema: Json, depth: number): void => {
    if (depth > MAX_DEPTH) return;
    const { properties, additionalProperties, anyOf, oneOf, allOf } = schema;
    if (isJson(properties))
      for (const [name, property] of Object.entries(properties))
        named.set(name, [...(named.get(name) ?? []), isJson(property) ? dereferenced(property, root) : {}]);
    if (isJson(additionalProperties)) others.push(dereferenced(additionalProperties, root));
    for (const inner of [...listed(anyOf), ...listed(oneOf), ...listed(allOf)])
      visit(dereferenced(inner, root), depth + 1);
  };
  visit(dereferenced(root, root), 0);
  return { named, others };
}

/** Schemas may contain themselves. */
export const MAX_DEPTH = 8;
