import { isObject } from '../../../kernel/index.js';
import { itemsOf, kindsOf } from './convert-text.js';
import type { AnyDefinition } from './definition.js';
import {
  dereference,
  type Json,
  jsonSchemaOf,
  listed,
  markedJsonSchemaOf,
  NOT_JSON,
  shapeOf,
} from './json-schema.js';
import { isStandardSchema, type StandardSchema } from './standard-schema.js';

/** How values travel: as JSON, as text in a URL or headers, or as the fields of a form with files. */
type Carrier = 'JSON' | 'text' | 'form';

/** The fixes for types that JSON does not have, by library. */
const FIXES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  zod: {
    // Not z.coerce.date(), which turns null into 1970 and has no useful input type.
    Date: 'Write z.iso.datetime(), or z.iso.datetime().transform((text) => new Date(text)) for a Date.',
    bigint: 'Write z.string().regex(/^-?\\d+$/).transform(BigInt).',
  },
  valibot: {
    Date: 'Write v.pipe(v.string(), v.isoTimestamp(), v.toDate()).',
    bigint: 'Write v.pipe(v.string(), v.digits(), v.toBigint()).',
  },
  arktype: {
    Date: "Write 'string.date.parse'.",
    bigint: "Write type('string.digits').pipe(BigInt).",
  },
};

const INPUT_FIXES: Readonly<Record<string, string>> = {
  Map: 'Accept an object or an array instead.',
  Set: 'Accept an array instead.',
  file: 'Accept a string in Base64 instead.',
};

const OUTPUT_FIXES: Readonly<Record<string, string>> = {
  bigint: 'Convert it to a string in the schema.',
  Map: 'Send Object.fromEntries(map) instead.',
  Set: 'Send an array instead: [...set].',
  file: 'Send a string in Base64, or return the file itself.',
};

/** Find values that a schema accepts but nothing can send, with a fix each: such requests would fail. */
export function unsendableMistakes(definition: AnyDefinition): string[] {
  const { params, query, headers, body, receive, response, errors = {}, events = {}, send } = definition;
  const mistakes: string[] = [];
  const check = (
    name: string,
    schema: StandardSchema | null | undefined,
    side: 'input' | 'output',
    carrier: Carrier = 'JSON',
  ): void => {
    for (const problem of schema ? unsendableIn(schema, side, carrier) : [])
      mistakes.push(`has a schema in "${name}" that ${problem}`);
  };
  check('params', params, 'input', 'text');
  check('query', query, 'input', 'text');
  check('headers', headers, 'input', 'text');
  check('body', body, 'input', body && hasFile(body) ? 'form' : 'JSON');
  check('receive', receive, 'input');
  if (isStandardSchema(response)) check('response', response, 'output');
  else
    for (const [status, schema] of Object.entries(response ?? {}))
      check(`response.${status}`, schema, 'output');
  for (const [status, schema] of Object.entries(errors)) check(`errors.${status}`, schema, 'output');
  for (const [name, schema] of Object.entries(events)) check(`events.${name}`, schema, 'output');
  check('send', send, 'output');
  return mistakes;
}

/** The first such value, as a sentence that follows "the schema". Empty if there is none, or if the library cannot tell. */
export function unsendableIn(
  schema: StandardSchema,
  side: 'input' | 'output',
  carrier: Carrier = 'JSON',
): string[] {
  const root = markedJsonSchemaOf(schema, side);
  if (!root) return [];
  const found = new Search(root, side, carrier).within(root, [], new Set());
  if (!found) return [];
  const { place, type } = found;
  const { vendor } = schema['~standard'];
  const at = place.length === 0 ? '' : ` at "${place.join('.')}"`;
  const verb = side === 'input' ? 'expects' : 'sends';
  if (type === 'object' || type === 'array')
    return [
      `${verb} an ${type}${at}, which text cannot represent. Use one field for each value, or a string that the schema parses.`,
    ];
  if (type === 'file' && carrier === 'form')
    return [
      `${verb} a file${at}, but only the fields of a form can be files. Move it to the top of the body.`,
    ];
  const fixes = side === 'output' ? OUTPUT_FIXES : { ...INPUT_FIXES, ...FIXES[vendor] };
  const medium = carrier === 'JSON' ? 'JSON' : 'text';
  return [`${verb} a ${type}${at}, which ${medium} cannot represent. ${fixes[type] ?? 'Use another type.'}`];
}

interface Unsendable {
  readonly place: readonly string[];
  /** A type that `NOT_JSON` names, or `object`, `array` or `file` in the wrong place. */
  readonly type: string;
}

const isFile = ({ type, format }: Json): boolean => type === 'string' && format === 'binary';

/** Whether a body is sent as a form, because one of its fields is a file. */
function hasFile(schema: StandardSchema): boolean {
  const root = jsonSchemaOf(schema, 'input');
  if (!root) return false;
  return [...shapeOf(root).named.values()]
    .flat()
    .some((field) => [field, ...itemsOf(field, root)].some((one) => isFile(dereference(one, root))));
}

class Search {
  constructor(
    readonly root: Json,
    readonly side: 'input' | 'output',
    readonly carrier: Carrier,
  ) {}

  /** The first value in `schema` that cannot be sent; undefined if there is an alternative that can. */
  within(schema: Json, place: readonly string[], seen: ReadonlySet<Json>): Unsendable | undefined {
    const one = dereference(schema, this.root);
    // Schemas may be recursive.
    if (seen.has(one)) return undefined;
    const inside = new Set([...seen, one]);
    const own = this.typeOf(one, place);
    if (own !== undefined) return { place, type: own };
    const { properties, additionalProperties, anyOf, oneOf, allOf } = one;
    const children: [Json, readonly string[]][] = [
      ...Object.entries(isObject(properties) ? properties : {}).flatMap(([name, property]) =>
        isObject(property) ? [[property, [...place, name]] as [Json, readonly string[]]] : [],
      ),
      ...(isObject(additionalProperties)
        ? [[additionalProperties, [...place, '*']] as [Json, readonly string[]]]
        : []),
      ...itemsOf({ items: one.items, prefixItems: one.prefixItems }, this.root).map(
        (item) => [item, [...place, '*']] as [Json, readonly string[]],
      ),
      ...listed(allOf).map((part) => [part, place] as [Json, readonly string[]]),
    ];
    for (const [child, at] of children) {
      const found = this.within(child, at, inside);
      if (found) return found;
    }
    for (const alternatives of [listed(anyOf), listed(oneOf)]) {
      const found = alternatives
        .filter(({ type }) => type !== 'null')
        .map((alternative) => this.within(alternative, place, inside));
      // An object with such a property may be one of several, each of which must be possible.
      const isField = found.every((problem) => problem !== undefined);
      const first = found.find((problem) => problem && (isField || problem.place.length > place.length));
      if (first) return first;
    }
    return undefined;
  }

  private typeOf(schema: Json, place: readonly string[]): string | undefined {
    const { [NOT_JSON]: mark } = schema;
    if (mark === 'Date' && this.side === 'output') return undefined;
    if (mark === 'bigint' && this.canSendBigints()) return undefined;
    if (mark !== undefined) return String(mark);
    if (isFile(schema)) return this.canBeFile(place) ? undefined : 'file';
    if (this.carrier === 'JSON' || place.length === 0) return undefined;
    const [kind, ...others] = [...kindsOf(schema, this.root)].filter((one) => one !== 'null');
    if (others.length > 0) return undefined;
    return kind === 'object' || (kind === 'array' && place.length > 1) ? kind : undefined;
  }

  private canSendBigints(): boolean {
    return this.side === 'input' ? this.carrier !== 'JSON' : 'toJSON' in BigInt.prototype;
  }

  /** A whole response can be a file, and so can `cover` and `covers.*` in a form. */
  private canBeFile([first, item, ...deeper]: readonly string[]): boolean {
    if (this.side === 'output') return first === undefined;
    return this.carrier === 'form' && (item === undefined || (item === '*' && deeper.length === 0));
  }
}
