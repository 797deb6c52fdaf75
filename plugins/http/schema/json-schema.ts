import { isObject } from '../../../kernel/index.js';
import type { StandardSchema } from './standard-schema.js';

type Draft = Record<string, unknown>;

interface ZodOverride {
  readonly zodSchema: { readonly _zod: { readonly def: { readonly type: string } } };
  readonly jsonSchema: Draft;
}
interface ValibotSchema {
  readonly valibotSchema: { readonly type: string };
}
interface ValibotAction {
  readonly valibotAction: { readonly kind: string; readonly type: string };
  readonly jsonSchema: Draft;
}
interface ArktypeGap {
  readonly base: Draft;
  readonly proto?: unknown;
}

/** The JSON Schema of a Date: RFC 3339 §5.6. */
const DATE = { type: 'string', format: 'date-time' };

/** The schema of a file in a form, as in OpenAPI and zod. */
const FILE = { type: 'string', format: 'binary' };

/** valibot actions after which a value has another type, which only a later schema in the pipe describes. */
const CHANGES_TYPE: ReadonlySet<string> = new Set([
  'find_item',
  'parse_json',
  'raw_transform',
  'reduce_items',
  'stringify_json',
  'to_bigint',
  'to_boolean',
  'to_date',
  'to_number',
  'to_string',
  'transform',
]);

/**
 * Options for generating JSON Schemas, by library. Without them, libraries throw if a single property has no JSON Schema.
 * Dates and files are described as they are sent.
 */
export const LIBRARY_OPTIONS: Readonly<Record<string, Record<string, unknown>>> = {
  zod: {
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }: ZodOverride) => {
      if (zodSchema._zod.def.type === 'date') Object.assign(jsonSchema, DATE);
    },
  },
  valibot: {
    errorMode: 'ignore',
    overrideSchema: ({ valibotSchema: { type } }: ValibotSchema) => {
      if (type === 'date') return DATE;
      return type === 'file' || type === 'blob' ? FILE : undefined;
    },
    overrideAction: ({ valibotAction: { kind, type } }: ValibotAction) =>
      kind === 'transformation' && CHANGES_TYPE.has(type) ? {} : undefined,
  },
  arktype: {
    fallback: {
      default: ({ base }: ArktypeGap) => base,
      date: ({ base }: ArktypeGap) => ({ ...base, ...DATE }),
      proto: ({ base, proto }: ArktypeGap) =>
        proto === File || proto === Blob ? { ...base, ...FILE } : base,
    },
  },
};

/** A JSON Schema (2020-12). */
export type Json = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema (2020-12) of a schema's input or output in JSON or a form, where a Date is a string. Parts without a JSON
 * Schema accept anything. Undefined if the library can't generate one: valibot without `toStandardJsonSchema`, zod before 4.2.
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

export const listed = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** Follow a reference within `root`. Returns a schema without a reference unchanged. */
export function dereferenced(schema: Json, root: Json): Json {
  const { $ref } = schema;
  if (typeof $ref !== 'string' || !$ref.startsWith('#')) return schema;
  const found = $ref
    .slice(1)
    .split('/')
    .filter((key) => key !== '')
    .map(keyIn)
    .reduce<unknown>(
      (inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
      root,
    );
  return isObject(found) ? found : {};
}

/** The key in a part of a reference (RFC 6901 §6). Libraries write names into references as they are: `100%`, say. */
export function keyIn(part: string): string {
  let key = part;
  try {
    key = decodeURIComponent(part);
  } catch {}
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}

export interface ObjectShape {
  readonly named: ReadonlyMap<string, readonly Json[]>;
  readonly others: readonly Json[];
}

export function shapeOf(root: Json): ObjectShape {
  const named = new Map<string, Json[]>();
  const others: Json[] = [];
  const seen = new Set<Json>();
  const visit = (schema: Json): void => {
    // Schemas may be recursive.
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

/** The deepest level that is searched, because schemas may be recursive. */
export const MAX_DEPTH = 8;

/** Keywords whose value is an object of schemas by name. */
const TABLES: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs']);

/** Keywords whose value is user data rather than a schema: a `$ref` there is a plain string. */
const VALUES: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'example']);

/** Copy a JSON Schema with all references replaced by `resolve`, at any depth. Keywords that `isKept` rejects are removed at all levels. */
export function withReferences(
  schema: Json,
  resolve: (ref: string) => string,
  isKept: (keyword: string) => boolean = () => true,
): Record<string, unknown> {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    return isObject(value) ? withReferences(value, resolve, isKept) : value;
  };
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => isKept(key))
      .map(([key, value]) => {
        if (key === '$ref' && typeof value === 'string') return [key, resolve(value)];
        if (VALUES.has(key)) return [key, value];
        if (TABLES.has(key) && isObject(value))
          return [key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, visit(one)]))];
        return [key, visit(value)];
      }),
  );
}
