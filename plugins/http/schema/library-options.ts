/** A JSON Schema that a library is about to give. */
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

/** A Date, as JSON has it: RFC 3339 §5.6. */
const DATE = { type: 'string', format: 'date-time' };

/** A file of a form, as OpenAPI has it. zod says the same. */
const FILE = { type: 'string', format: 'binary' };

/** Of valibot: after them a value is of another type, which only a schema later in the pipe says. */
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
 * What each library is asked for a JSON Schema with. Without these, libraries throw for a whole schema in which one property has
 * none. Dates and files are given as they are sent.
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
