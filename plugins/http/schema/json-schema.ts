import { isObject } from '../../../kernel/index.js';
import { decoded } from '../request/path-segments.js';
import type { StandardSchema } from './standard-schema.js';

type Draft = Record<string, unknown>;

interface ZodSchema {
  readonly _zod: {
    readonly def: { readonly type: string; readonly coerce?: boolean; readonly in?: ZodSchema };
  };
}
interface ZodOverride {
  readonly zodSchema: ZodSchema;
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
  readonly domain?: unknown;
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

/** The JSON Schema of a bigint, which a URL or a form holds as digits. */
const BIGINT = { type: 'integer', format: 'int64' };

/** A keyword that only `markedJsonSchemaOf` adds: the type of values that JSON does not have, such as `bigint` or `Map`. */
export const NOT_JSON = 'x-not-json';

/** The types that `NOT_JSON` names, by the names of zod and valibot. */
const MARKS: Readonly<Record<string, string>> = {
  bigint: 'bigint',
  date: 'Date',
  function: 'function',
  map: 'Map',
  set: 'Set',
  symbol: 'symbol',
};

const markFor = (type: unknown): Draft | undefined =>
  typeof type === 'string' && Object.hasOwn(MARKS, type) ? { [NOT_JSON]: MARKS[type] } : undefined;

/** Options by library: without them, a single property without JSON Schema throws. Dates are as sent. */
const optionsFor = (marks: boolean): Readonly<Record<string, Record<string, unknown>>> => ({
  zod: {
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }: ZodOverride) => {
      const { type, coerce, in: input } = zodSchema._zod.def;
      // `z.preprocess()`: only its function knows the input. The JSON Schema here describes the result of the function.
      if (type === 'pipe' && input?._zod.def.type === 'transform')
        for (const keyword of Object.keys(jsonSchema)) delete jsonSchema[keyword];
      if (type === 'date') Object.assign(jsonSchema, DATE);
      if (coerce) return;
      if (type === 'bigint') Object.assign(jsonSchema, BIGINT);
      if (marks) Object.assign(jsonSchema, markFor(type));
    },
  },
  valibot: {
    errorMode: 'ignore',
    overrideSchema: ({ valibotSchema: { type } }: ValibotSchema) => {
      const mark = marks ? markFor(type) : undefined;
      if (type === 'date') return { ...DATE, ...mark };
      if (type === 'bigint') return { ...BIGINT, ...mark };
      return type === 'file' || type === 'blob' ? FILE : mark;
    },
    overrideAction: ({ valibotAction: { kind, type } }: ValibotAction) =>
      kind === 'transformation' && CHANGES_TYPE.has(type) ? {} : undefined,
  },
  arktype: {
    fallback: {
      default: ({ base }: ArktypeGap) => base,
      date: ({ base }: ArktypeGap) => ({ ...base, ...DATE, ...(marks ? markFor('date') : {}) }),
      domain: ({ base, domain }: ArktypeGap) => ({
        ...base,
        ...(domain === 'bigint' ? BIGINT : {}),
        ...(marks ? markFor(domain) : {}),
      }),
      proto: ({ base, proto }: ArktypeGap) => {
        if (proto === File || proto === Blob) return { ...base, ...FILE };
        const type = proto === Map ? 'map' : proto === Set ? 'set' : undefined;
        return { ...base, ...(marks ? markFor(type) : {}) };
      },
    },
  },
});

const LIBRARY_OPTIONS = optionsFor(false);
const MARKING_OPTIONS = optionsFor(true);

/** A JSON Schema (2020-12). */
export type Json = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema (2020-12) of a schema's input or output in JSON or a form, where a Date is a string. Parts without a JSON
 * Schema accept anything. Undefined if the library can't generate one: valibot without `toStandardJsonSchema`, zod before 4.2.
 */
export const jsonSchemaOf = (schema: StandardSchema, side: Side): Json | undefined =>
  convert(schema, side, LIBRARY_OPTIONS);

/** The same JSON Schema with `NOT_JSON`, which must not leave the app. */
export const markedJsonSchemaOf = (schema: StandardSchema, side: Side): Json | undefined =>
  convert(schema, side, MARKING_OPTIONS);

type Side = 'input' | 'output';

function convert(schema: StandardSchema, side: Side, options: typeof LIBRARY_OPTIONS): Json | undefined {
  try {
    const { vendor, jsonSchema } = schema['~standard'];
    const json: unknown = jsonSchema?.[side]({
      target: 'draft-2020-12',
      libraryOptions: Object.hasOwn(options, vendor) ? options[vendor] : undefined,
    });
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** The fix if the library has no JSON Schema: a sentence without full stop, or a clause `within` one. */
export function remedyFor({ '~standard': { vendor } }: StandardSchema, place?: 'within'): string {
  const remedy = REMEDIES.get(vendor) ?? `Use a version of ${vendor} that implements Standard JSON Schema`;
  return place === 'within' ? remedy.charAt(0).toLowerCase() + remedy.slice(1) : remedy;
}

const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['zod', 'Import zod 4.2 or newer from "zod", not from "zod/mini"'],
  ['valibot', 'Wrap it in toStandardJsonSchema() of @valibot/to-json-schema'],
  ['effect', 'Wrap it in Schema.toStandardSchemaV1(Schema.toStandardJSONSchemaV1(…)) of effect 4'],
]);

export const listed = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** Follow a reference within `root`. Returns a schema without a reference unchanged. */
export function dereference(schema: Json, root: Json): Json {
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

/** The key in a part of a reference (RFC 6901 §6). Some libraries write names into references without encoding them, such as `100%`. */
export const keyIn = (part: string): string => decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');

export interface ObjectShape {
  readonly named: ReadonlyMap<string, readonly Json[]>;
  readonly others: readonly Json[];
  /** The names that every object must have. */
  readonly required: ReadonlySet<string>;
}

/** The properties of the objects that `start` accepts, including the properties of all its alternatives. */
export function shapeOf(root: Json, start = root): ObjectShape {
  const named = new Map<string, Json[]>();
  const others: Json[] = [];
  const required = new Set<string>();
  const seen = new Set<Json>();
  const visit = (schema: Json, isCertain: boolean): void => {
    // Schemas may be recursive.
    if (seen.has(schema)) return;
    seen.add(schema);
    const { properties, additionalProperties, anyOf, oneOf, allOf } = schema;
    if (isCertain && Array.isArray(schema.required)) for (const name of schema.required) required.add(name);
    if (isObject(properties))
      for (const [name, property] of Object.entries(properties))
        named.set(name, [...(named.get(name) ?? []), isObject(property) ? dereference(property, root) : {}]);
    if (isObject(additionalProperties)) others.push(dereference(additionalProperties, root));
    for (const inner of listed(allOf)) visit(dereference(inner, root), isCertain);
    for (const inner of [...listed(anyOf), ...listed(oneOf)]) visit(dereference(inner, root), false);
  };
  visit(dereference(start, root), true);
  return { named, others, required };
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
