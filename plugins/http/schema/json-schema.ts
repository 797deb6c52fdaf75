import { isObject } from '../../../kernel/index.js';
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
  try {
    const { vendor, jsonSchema } = schema['~standard'];
    const json: unknown = jsonSchema?.[side]({
      target: 'draft-2020-12',
      libraryOptions: Object.hasOwn(LIBRARY_OPTIONS, vendor) ? LIBRARY_OPTIONS[vendor] : undefined,
    });
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** The schemas in a list: those of `anyOf`, say. */
export const listed = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** The schema that a reference within `root` leads to; a schema without a reference is itself. */
export function dereferenced(schema: Json, root: Json): Json {
  const { $ref } = schema;
  if (typeof $ref !== 'string' || !$ref.startsWith('#')) return schema;
  const found = $ref
    .slice(1)
    .split('/')
    .filter((key) => key !== '')
    .map((key) => decoded(key).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
      root,
    );
  return isObject(found) ? found : {};
}

/** A part of a reference (RFC 6901 §6). Libraries write names into references as they are: `100%`, say. */
function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** What an object may hold: the schemas of each property, one for each alternative, and of all other properties. */
export interface ObjectShape {
  readonly named: ReadonlyMap<string, readonly Json[]>;
  readonly others: readonly Json[];
}

export function shapeOf(root: Json): ObjectShape {
  const named = new Map<string, Json[]>();
  const others: Json[] = [];
  const seen = new Set<Json>();
  const visit = (schema: Json): void => {
    // Schemas may contain themselves.
    if (seen.has(schema)) return;
    seen.add(schema);
    const { properties, additionalProperties, anyOf, oneOf, allOf } = schema;
    if (isObject(properties))
      for (const [name, property] of Object.entries(properties))
        named.set(name, [...(named.get(name) ?? []), isObject(property) ? dereferenced(property, root) : {}]);
    if (isObject(additionalProperties)) others.push(dereferenced(additionalProperties, root));
    for (const inner of [...listed(anyOf), ...listed(oneOf), ...listed(allOf)])
      visit(dereferenced(inner, root));
  };
  visit(dereferenced(root, root));
  return { named, others };
}

/** Schemas may contain themselves. */
export const MAX_DEPTH = 8;
