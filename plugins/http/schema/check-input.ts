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

/** Checks one part and goes on with the next, or with the handler. `issues` are those of the parts before it. */
type Step = (...args: [...Parameters<Handler>, issues?: readonly InputIssue[] | undefined]) => unknown;

/**
 * Have the parts of a request checked before `handler` sees them; a part without a schema costs nothing. Throws an HttpProblem,
 * 422, with the issues of all parts.
 */
export function checkingInput(definition: AnyDefinition, handler: Handler): Handler {
  const last: Step = (req, res, ctx, issues) => {
    if (issues) throw new HttpProblem(422, 'The request is not what this route takes', issues);
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
  // Made by the first request: telling a JSON Schema takes longer than a check.
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

/** Makes what a schema takes of the text of a URL, of headers or of a form, in place: those are made for one request. */
type ConvertText = (fields: Record<string, unknown>) => void;

/** The conversion that a schema asks for; undefined where text is what it takes, or where its library tells no JSON Schema. */
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

/** Text stays text where any alternative takes a string. */
function conversionOf(alternatives: readonly Json[], root: Json, depth = 0): Convert | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const kinds = union(alternatives.map((schema) => kindsOf(schema, root)));
  if (kinds.has('string') || kinds.has('any')) return undefined;
  const convertOne = scalarConversion(kinds);
  if (!kinds.has('array'))
    return convertOne && ((value) => (typeof value === 'string' ? convertOne(value) : value));
  // As a set: of lists of themselves there would be more at each depth.
  const items = new Set(alternatives.flatMap((schema) => itemsOf(schema, root)));
  const convertItem = items.size > 0 ? conversionOf([...items], root, depth + 1) : undefined;
  return (value) => {
    if (!Array.isArray(value)) {
      // A number may be taken beside a list of them.
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

/** As JSON writes it (RFC 8259 §6). */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Every number of as many decimal digits is a number of its own (IEEE 754, binary64). */
const EXACT_DIGITS = 15;

/** The number that a text is; undefined where it would say something else: an id of 19 digits, `1e999`, `1e-999`. */
function toNumber(text: string): number | undefined {
  return toShortNumber(text) ?? toLongNumber(text);
}

/** The most common numbers: digits alone, and few enough to be exact. A regular expression takes five times as long. */
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

/** The types of JSON that a schema takes; `any` among them where it does not say. */
function kindsOf(schema: Json, root: Json, depth = 0): ReadonlySet<string> {
  const { const: constant, enum: values, type, anyOf, oneOf, allOf } = schema;
  if (depth > MAX_DEPTH) return ANY;
  if (constant !== undefined) return new Set([kindOf(constant)]);
  if (Array.isArray(values)) return new Set(values.map(kindOf));
  if (type !== undefined) return new Set([type].flat().map(String));
  const inner = (one: Json): ReadonlySet<string> => kindsOf(dereferenced(one, root), root, depth + 1);
  const alternatives = [...listed(anyOf), ...listed(oneOf)];
  if (alternatives.length > 0) return union(alternatives.map(inner));
  // All of them hold: one that names its types is enough to know.
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
