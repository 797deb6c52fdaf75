import { isObject } from '../../../kernel/index.js';
import {
  dereference,
  type Json,
  listed,
  MAX_DEPTH,
  markedJsonSchemaOf,
  NOT_JSON,
  shapeOf,
} from './json-schema.js';
import type { StandardSchema } from './standard-schema.js';

type Convert = (value: unknown) => unknown;

/** Converts text from a URL, headers or a form to the types that a schema expects, in place: the objects belong to one request. */
export type ConvertText = (fields: Record<string, unknown>) => void;

/** The conversion for a schema; undefined if the schema accepts text, or if its library provides no JSON Schema. */
export function textConversion(schema: StandardSchema): ConvertText | undefined {
  const root = markedJsonSchemaOf(schema, 'input');
  if (root === undefined) return undefined;
  const convert = fieldConversion(root, root);
  const branches = branchesOf(root);
  if (!branches.some((branch) => branch.convert)) return convert;
  return (fields) => {
    const [only, ...more] = branches.filter((branch) => branch.accepts(fields));
    (only && more.length === 0 ? only.convert : convert)?.(fields);
  };
}

function fieldConversion(root: Json, start: Json): ConvertText | undefined {
  const { named, others, required } = shapeOf(root, start);
  const conversions = [...named].flatMap(([name, alternatives]) => {
    const convert = conversionOf(alternatives, root);
    const absent = required.has(name) ? absentValue(alternatives, root) : undefined;
    const isList = alternatives.some((schema) => kindsOf(schema, root).has('array'));
    return convert || absent ? [{ name, convert, absent, listName: isList ? `${name}[]` : undefined }] : [];
  });
  const convertOther = others.length > 0 ? conversionOf(others, root) : undefined;
  if (conversions.length === 0 && !convertOther) return undefined;
  return (fields) => {
    for (const { name, convert, absent, listName } of conversions) {
      if (listName !== undefined && fields[listName] !== undefined) takeList(fields, name, listName);
      const value = fields[name];
      if (value === undefined) {
        if (absent) fields[name] = absent();
      } else if (convert) fields[name] = convert(value);
    }
    if (convertOther)
      for (const name in fields) if (!named.has(name)) fields[name] = convertOther(fields[name]);
  };
}

/** Renames `ids[]`, as some clients name the values of an array, to `ids`. */
function takeList(fields: Record<string, unknown>, name: string, listName: string): void {
  fields[name] = [fields[name] ?? [], fields[listName]].flat();
  delete fields[listName];
}

/** URLs and forms have no text for an empty list and null, so a required field without text has this value. */
function absentValue(alternatives: readonly Json[], root: Json): (() => unknown) | undefined {
  const kinds = union(alternatives.map((schema) => kindsOf(schema, root)));
  if (kinds.has('array')) return () => [];
  return kinds.has('null') ? () => null : undefined;
}

/** One of several objects that a schema accepts. */
interface Branch {
  readonly convert: ConvertText | undefined;
  /** Whether the texts are possible for this branch: its constants are equal, and its required fields exist. */
  accepts(fields: Record<string, unknown>): boolean;
}

/** The alternatives of a schema such as `z.discriminatedUnion()`, in which a field may have different types. */
function branchesOf(root: Json): Branch[] {
  const { anyOf, oneOf, allOf, ...common } = dereference(root, root);
  return [...listed(anyOf), ...listed(oneOf)].map((branch) => {
    const start: Json = { ...common, allOf: [...listed(allOf), branch] };
    const { named, required } = shapeOf(root, start);
    const needed = [...required].flatMap((name) => {
      const alternatives = named.get(name) ?? [];
      if (absentValue(alternatives, root)) return [];
      const kinds = [...union(alternatives.map((schema) => kindsOf(schema, root)))];
      const constants = kinds.every(isConstant) ? new Set<unknown>(kinds.map(constantIn)) : undefined;
      return [{ name, constants }];
    });
    return {
      convert: fieldConversion(root, start),
      accepts: (fields) =>
        needed.every(({ name, constants }) =>
          constants ? constants.has(fields[name]) : fields[name] !== undefined,
        ),
    };
  });
}

/** Text isn't converted if any alternative accepts this text. */
function conversionOf(alternatives: readonly Json[], root: Json, depth = 0): Convert | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const kinds = union(alternatives.map((schema) => kindsOf(schema, root)));
  if (kinds.has('string') || kinds.has('any')) return undefined;
  const convertOne = exceptConstants(kinds, scalarConversion(kinds));
  if (!kinds.has('array'))
    return convertOne && ((value) => (typeof value === 'string' ? convertOne(value) : value));
  // A set, because the number of items of recursive arrays would grow with each level.
  const items = new Set(alternatives.flatMap((schema) => itemsOf(schema, root)));
  const convertItem = items.size > 0 ? conversionOf([...items], root, depth + 1) : undefined;
  const isAlone = exceptConstants(kinds, () => undefined);
  return (value) => {
    if (!Array.isArray(value)) {
      // A schema may accept a number or an array of numbers.
      const one = convertOne && typeof value === 'string' ? convertOne(value) : value;
      if (one !== value || (typeof value === 'string' && isAlone?.(value) !== undefined)) return one;
      return [convertItem ? convertItem(value) : value];
    }
    return convertItem ? value.map((item) => convertItem(item)) : value;
  };
}

type ConvertOne = (text: string) => unknown;

function exceptConstants(
  kinds: ReadonlySet<string>,
  convert: ConvertOne | undefined,
): ConvertOne | undefined {
  const constants = new Set([...kinds].filter(isConstant).map(constantIn));
  if (!convert || constants.size === 0) return convert;
  return (text) => (constants.has(text) ? text : convert(text));
}

function scalarConversion(kinds: ReadonlySet<string>): ConvertOne | undefined {
  const conversions = [
    ...(kinds.has('number') || kinds.has('integer') ? [toNumber] : []),
    ...(kinds.has('boolean') ? [toBoolean] : []),
    ...(kinds.has('bigint') ? [toBigint] : []),
  ];
  const [first, second] = conversions;
  if (!first) return undefined;
  if (!second) return (text) => first(text) ?? text;
  return (text) => {
    for (const convert of conversions) {
      const value = convert(text);
      if (value !== undefined) return value;
    }
    return text;
  };
}

/** A checkbox without a value sends `on`. */
const toBoolean = (text: string): boolean | undefined =>
  text === 'true' || text === 'on' || text === '1'
    ? true
    : text === 'false' || text === 'off' || text === '0'
      ? false
      : undefined;

/** A number in JSON syntax (RFC 8259 §6). */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Decimal numbers with up to this many digits are represented exactly (IEEE 754, binary64). */
const EXACT_DIGITS = 15;

/** Convert a text to a number; undefined if the number would differ from the text: an id of 19 digits, `1e999`, `1e-999`. */
function toNumber(text: string): number | undefined {
  return toShortNumber(text) ?? toLongNumber(text);
}

/** The fast path for the most common numbers: digits only, and few enough to be exact. A regular expression takes five times as long. */
function toShortNumber(text: string): number | undefined {
  const { length } = text;
  if (length === 0 || length > EXACT_DIGITS) return undefined;
  if (length > 1 && text.charCodeAt(0) === ZERO) return undefined;
  let value = 0;
  for (let index = 0; index < length; index += 1) {
    const digit = text.charCodeAt(index) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return value;
}

const ZERO = 0x30;

function toLongNumber(text: string): number | undefined {
  if (!NUMBER.test(text)) return undefined;
  const value = Number(text);
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) return undefined;
  const digits = text.replace(/[eE].*/, '').replace(/^[-0.]+|\./g, '');
  if (value === 0 && digits !== '') return undefined;
  return digits.length <= EXACT_DIGITS || String(value) === text ? value : undefined;
}

/** The longest text of a bigint: converting takes time that grows with the square of the digits. */
const MAX_BIGINT = 1_000;

const toBigint = (text: string): bigint | undefined =>
  text.length <= MAX_BIGINT && /^-?\d+$/.test(text) ? BigInt(text) : undefined;

/** The JSON types that a schema accepts, other types, `=text` for constants; `any` if it isn't restricted. */
export function kindsOf(schema: Json, root: Json, depth = 0): ReadonlySet<string> {
  const { const: constant, enum: values, type, anyOf, oneOf, allOf, [NOT_JSON]: mark } = schema;
  if (depth > MAX_DEPTH) return ANY;
  if (mark !== undefined) return new Set([String(mark)]);
  if (constant !== undefined) return new Set([kindOf(constant)]);
  if (Array.isArray(values)) return new Set(values.map(kindOf));
  if (type !== undefined) return new Set([type].flat().map(String));
  const inner = (one: Json): ReadonlySet<string> => kindsOf(dereference(one, root), root, depth + 1);
  const alternatives = [...listed(anyOf), ...listed(oneOf)];
  if (alternatives.length > 0) return union(alternatives.map(inner));
  // All schemas in `allOf` apply, so one that restricts the types is enough.
  return (
    listed(allOf)
      .map(inner)
      .find((kinds) => !kinds.has('any')) ?? ANY
  );
}

const ANY: ReadonlySet<string> = new Set(['any']);

const kindOf = (value: unknown): string =>
  value === null ? 'null' : typeof value === 'string' ? `=${value}` : typeof value;

const isConstant = (kind: string): boolean => kind.startsWith('=');
const constantIn = (kind: string): string => kind.slice(1);

const union = (sets: readonly ReadonlySet<string>[]): ReadonlySet<string> =>
  new Set(sets.flatMap((set) => [...set]));

export function itemsOf(schema: Json, root: Json, depth = 0): readonly Json[] {
  if (depth > MAX_DEPTH) return [];
  const { items, prefixItems, anyOf, oneOf, allOf } = schema;
  const own = [...(isObject(items) ? [items] : []), ...listed(prefixItems)].map((one) =>
    dereference(one, root),
  );
  const inner = [...listed(anyOf), ...listed(oneOf), ...listed(allOf)];
  return [...own, ...inner.flatMap((one) => itemsOf(dereference(one, root), root, depth + 1))];
}
