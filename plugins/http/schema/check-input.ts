import { isThenable, type ProblemCode } from '../../../kernel/index.js';
import type { RuntimeCtx } from '../../../scope/index.js';
import { isFormBody } from '../body/media-type.js';
import { HttpProblem } from '../request/http-error.js';
import { parseLists } from '../request/query.js';
import { HttpRequest } from '../request/request.js';
import type { Handler } from '../response/handler.js';
import { type ConvertText, textConversion } from './convert-text.js';
import type { AnyDefinition } from './definition.js';
import { jsonSchemaOf, remedyFor } from './json-schema.js';
import type { Checked, StandardSchema } from './standard-schema.js';
import { INPUT_PARTS, type InputIssue, type InputPart, inputIssues } from './standard-schema.js';

/** Checks one part, then the next part or the handler follows. `issues` are the issues of the previous parts. */
type Step = (...args: [...Parameters<Handler>, issues?: readonly InputIssue[] | undefined]) => unknown;

/** Check the parts that have a schema before `handler` runs. Throws an HttpProblem, 422, with all issues. */
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
  // A browser sends no body for a form without any value, such as one unchecked checkbox.
  body: (req) => (req.body === undefined && isFormBody(req.raw) ? {} : req.body),
};

function checkingPart(part: InputPart, schema: StandardSchema, next: Step): Step {
  const standard = schema['~standard'];
  const read = READ[part];
  const isText = part === 'body' ? (req: HttpRequest) => isFormBody(req.raw) : () => true;
  // Created by the first request, because generating a JSON Schema takes longer than a check.
  let convert: ConvertText | null | undefined = null;
  const warn = unconvertedWarning(part, schema);

  const proceed = (checked: Checked, ...[req, res, ctx, issues]: Parameters<Step>): unknown => {
    if (checked.issues) {
      if (isText(req)) warn(req, ctx);
      return next(req, res, ctx, [...(issues ?? []), ...inputIssues(part, checked.issues)]);
    }
    HttpRequest.replace(req, part, checked.value);
    return next(req, res, ctx, issues);
  };
  /** Check again without a query or form if its schema is optional. There is no other way to leave it out. */
  const proceedFrom = (checked: Checked, input: unknown, ...args: Parameters<Step>): unknown => {
    const canBeMissing = part === 'query' || (part === 'body' && args[0].body === undefined);
    if (!checked.issues || !canBeMissing || !isEmpty(input)) return proceed(checked, ...args);
    const without = standard.validate(undefined);
    const settle = (second: Checked) => proceed(second.issues ? checked : second, ...args);
    return isThenable(without) ? Promise.resolve(without).then(settle) : settle(without);
  };

  return (req, res, ctx, issues) => {
    const input = read(req);
    if (input !== undefined && isText(req)) {
      if (convert === null) convert = textConversion(schema);
      if (convert && isFields(input)) convert(input);
    }
    const checked = standard.validate(input);
    return isThenable(checked)
      ? Promise.resolve(checked).then((done) => proceedFrom(done, input, req, res, ctx, issues))
      : proceedFrom(checked, input, req, res, ctx, issues);
  };
}

/** Explains once, in development, why a schema rejects text that the client sent as a number. */
function unconvertedWarning(
  part: InputPart,
  schema: StandardSchema,
): (...args: [HttpRequest, RuntimeCtx]) => void {
  let isDone = process.env.NODE_ENV !== 'development';
  return ({ route }, ctx) => {
    if (isDone) return;
    isDone = true;
    if (jsonSchemaOf(schema, 'input')) return;
    ctx.logger.warn(
      { code: 'FWK422' satisfies ProblemCode },
      `${route.label ?? 'A route'}: the ${part} schema has no JSON Schema, so text is not converted to numbers, booleans and arrays. ${remedyFor(schema)}.`,
    );
  };
}

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const isEmpty = (value: unknown): boolean => isFields(value) && Object.keys(value).length === 0;
