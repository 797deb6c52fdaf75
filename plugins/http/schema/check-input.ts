import { isThenable } from '../../../kernel/index.js';
import { isFormBody } from '../body/media-type.js';
import { HttpProblem } from '../request/http-error.js';
import { parseLists } from '../request/query.js';
import { HttpRequest } from '../request/request.js';
import type { Handler } from '../response/handler.js';
import type { AnyDefinition } from './definition.js';
import type { Checked, StandardSchema } from './standard-schema.js';
import { INPUT_PARTS, type InputIssue, type InputPart, inputIssues } from './standard-schema.js';
import { type ConvertText, textConversion } from './text-values.js';

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

/** A part as its schema gets it. */
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
