import { isObject, isThenable } from '../../../kernel/index.js';
import { isFormBody } from '../body/media-type.js';
import { HttpProblem } from '../request/http-error.js';
import { parseLists } from '../request/query.js';
import { HttpRequest } from '../request/request.js';
import type { Handler } from '../response/handler.js';
import type { AnyDefinition } from './definition.js';
import { dereferenced, type Json, jsonSchemaOf, listed, MAX_DEPTH, shapeOf } from './json-schema.js';
import type { Checked, StandardSchema } from './standard-schema.js';
import { INPUT_PARTS, type InputIssue, type InputPart, inputIssues } from './standard-schema.js';

/** Checks one part, then the next part or the handler follows. `issues` are the issues of the previous parts. */
type Step = (...args: [...Parameters<Handler>, issues?: readonly InputIssue[] | undefined]) => unknown;

/**
 * Check the parts of a request before `handler` runs; a part without a schema costs nothing. Throws an HttpProblem with 422
 * and the issues of all parts.
 */
export function checkingInput(definition: AnyDefinition, handler: Handler): Handler {
  const last: Step = (req, res, ctx, issues) => {
    if (issues) throw new HttpProblem(422, 'The request is invalid', issues);
    return handler(req, res, ctx);
  };
  return INPUT_PARTS.reduceRight<Step>((next, part) => {
    const schema = definition[part];
    return schema ? checkingPart(part, schema, next) : next;
  }, last) as Handler;
}

const READ: Readonly<Record<InputPart, (req: HttpRequest) => unknown>> = {
  params: (req) => req.params,
  query: (req) => parseLists(HttpRequest.search(req)),
  // Node's object has a prototype.
  headers: (req) => Object.assign(Object.create(null), req.raw.headers),
  body: (req) => req.body,
};

function checkingPart(part: InputPart, schema: StandardSchema, next: Step): Step {
  const standard = schema['~standard'];
  const read = READ[part];
  const isText = part === 'body' ? (req: HttpRequest) => isFormBody(req.raw) : () => true;
  // Created by the first request, because generating a JSON Schema takes longer than a check.
  let convert: ConvertText | null | undefined = null;

  const proceed = (checked: Checked, ...[req, res, ctx, issues]: Parameters<Step>): unknown => {
    if (checked.issues) return next(req, res, ctx, [...(issues ?? []), ...inputIssues(part, checked.issues)]);
    HttpRequest.replace(req, part, checked.value);
    return next(req, res, ctx, issues);
  };

  return (req, res, ctx, issues) => {
    const input = read(req);
    if (input !== undefined && isText(req)) {
      if (convert === null) convert = textConversion(schema);
      if (convert && isFields(input)) convert(input);
    }
    const checked = standard.validate(input);
    return isThenable(checked)
      ? Promise.resolve(checked).then((done) => proceed(done, req, res, ctx, issues))
      : proceed(checked, req, res, ctx, issues);
  };
}

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

type Convert = (value: unknown) => unknown;

/** Converts text from a URL, headers or a form to the types that a schema expects, in place: the objects belong to one request. */
type ConvertText = (fields: Record<string, unknown>) => void;

/** The conversion for a schema; undefined if the schema accepts text, or if its library provides no JSON Schema. */
function textConversion(schema: StandardSchema): ConvertText | undefined {
  const root = jsonSchemaOf(schema, 'input');
  if (root === undefined) return undefined;
  const { named, others } = shapeOf(root);
  const conversions = [...named].flatMap(([name, alternatives]) => {
    const convert = conversionOf(alternatives, root);
    return convert ? [{ name, convert }] : [];
  });
  const convertOther = others.length > 0 ? conversionOf(others, root) : undefined;
  if (conversions.length === 0 && !convertOther) return undefined;
  return (fields) => {
    for (const { name, convert } of conversions) {
      const value = fields[name];
      if (value !== undefined) fields[name] = convert(value);
    }
    if (convertOther)
      for (const name in fields) if (!named.has(name)) fields[name] = convertOther(fields[name]);
  };
}

/** Text isn't converted if any alternative accepts a string. */
function conversionOf(alternatives: readonly Json[], root: Json, depth = 0): Convert | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const kinds = union(alternatives.map((schema) => kindsOf(schema, root)));
  if (kinds.has('string') || kinds.has('any')) return undefined;
  const convertOne = scalarConversion(kinds);
  if (!kinds.has('array'))
    return convertOne && ((value) => (typeof value === 'string' ? convertOne(value) : value));
  // A set, because the number of items of recursive arrays would grow with each level.
  const items = new Set(alternatives.flatMap((schema) => itemsOf(schema, root)));
  const convertItem = items.size > 0 ? conversionOf([...items], root, depth + 1) : undefined;
  return (value) => {
    if (!Array.isArray(value)) {
      // A schema may accept a number or an array of numbers.
      const one = convertOne && typeof value === 'string' ? convertOne(value) : value;
      return one === value ? [convertItem ? convertItem(value) : value] : one;
    }
    return convertItem ? value.map((item) => convertItem(item)) : value;
  };
}

function scalarConversion(kinds: ReadonlySet<string>): ((text: string) => unknown) | undefined {
  const isNumber = kinds.has('number') || kinds.has('integer');
  if (isNumber && kinds.has('boolean')) return (text) => toBoolean(text) ?? toNumber(text) ?? text;
  if (isNumber) return (text) => toNumber(text) ?? text;
  return kinds.has('boolean') ? (text) => toBoolean(text) ?? text : undefined;
}

const toBoolean = (text: string): boolean | undefined =>
  text === 'true' ? true : text === 'false' ? false : undefined;

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

/** The JSON types that a schema accepts; includes `any` if the schema doesn't restrict them. */
function kindsOf(schema: Json, root: Json, depth = 0): ReadonlySet<string> {
  const { const: constant, enum: values, type, anyOf, oneOf, allOf } = schema;
  if (depth > MAX_DEPTH) return ANY;
  if (constant !== undefined) return new Set([kindOf(constant)]);
  if (Array.isArray(values)) return new Set(values.map(kindOf));
  if (type !== undefined) return new Set([type].flat().map(String));
  const inner = (one: Json): ReadonlySet<string> => kindsOf(dereferenced(one, root), root, depth + 1);
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

const kindOf = (value: unknown): string => (value === null ? 'null' : typeof value);

const union = (sets: readonly ReadonlySet<string>[]): ReadonlySet<string> =>
  new Set(sets.flatMap((set) => [...set]));

function itemsOf(schema: Json, root: Json, depth = 0): readonly Json[] {
  if (depth > MAX_DEPTH) return [];
  const { items, prefixItems, anyOf, oneOf, allOf } = schema;
  const own = [...(isObject(items) ? [items] : []), ...listed(prefixItems)].map((one) =>
    dereferenced(one, root),
  );
  const inner = [...listed(anyOf), ...listed(oneOf), ...listed(allOf)];
  return [...own, ...inner.flatMap((one) => itemsOf(dereferenced(one, root), root, depth + 1))];
}
