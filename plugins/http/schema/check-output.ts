import { coded, isThenable, type ProblemCode } from '../../../kernel/index.js';
import type { RuntimeCtx } from '../../../scope/index.js';
import { HttpError, HttpProblem, isHttpError } from '../request/http-error.js';
import type { HttpRequest } from '../request/request.js';
import type { Handler } from '../response/handler.js';
import { answers } from '../response/handler.js';
import type { HttpResponse } from '../response/response.js';
import type { AnyDefinition, ErrorSchemas, ResponseSchemas } from './definition.js';
import {
  type Checked,
  describeIssues,
  isStandardSchema,
  plainIssues,
  type StandardSchema,
} from './standard-schema.js';

type Schemas = Readonly<Record<number, StandardSchema | null | undefined>>;

/** Check results and errors of a handler before they are sent. An invalid one is a bug in the server. */
export function checkingOutput({ response, errors }: AnyDefinition, handler: Handler): Handler {
  const checkResult = response && resultCheck(response);
  const checkError = errors && errorCheck(errors, nameOf);

  const finish = (result: unknown, req: HttpRequest, res: HttpResponse): unknown => {
    if (isHttpError(result)) throw result;
    return checkResult && !isUnchecked(req) ? checkResult(result, req, res) : result;
  };
  const answer: Handler = (req, res, ctx) => {
    const result = handler(req, res, ctx);
    return isThenable(result)
      ? Promise.resolve(result).then((value) => finish(value, req, res))
      : finish(result, req, res);
  };
  if (!checkError) return answer;

  return (req, res, ctx) => {
    const fail = (thrown: unknown): unknown => checkError(thrown, req, ctx);
    try {
      const result = answer(req, res, ctx);
      return isThenable(result) ? Promise.resolve(result).catch(fail) : result;
    } catch (thrown) {
      return fail(thrown);
    }
  };
}

const isUnchecked = ({ route }: HttpRequest): boolean => route.meta.checkResponse === false;

function resultCheck(response: ResponseSchemas) {
  const schemaFor: (status: number) => StandardSchema | null | undefined = isStandardSchema(response)
    ? () => response
    : (status) => (Object.hasOwn(response, status) ? (response as Schemas)[status] : undefined);

  return (result: unknown, req: HttpRequest, res: HttpResponse): unknown => {
    // The handler has responded itself, or returned null, which is a 404.
    if (res.sent || res.isStreaming || (result === null && isGet(req))) return result;
    // An answer such as a file has no value to check.
    if (typeof result === 'object' && result !== null && Symbol.toStringTag in result && answers.has(result))
      return result;
    const status = res.statusCode ?? (result === undefined && !isStandardSchema(response) ? 204 : 200);
    const schema = schemaFor(status);
    if (schema === undefined) throw mismatch(nameOf(req), undeclared(status, response));
    if (schema === null) {
      if (result === undefined || result === null) return result;
      throw mismatch(
        nameOf(req),
        `"response" declares no body for the status ${status}. Return nothing, or add a schema for this status`,
      );
    }
    return checkedBy(schema, result, (checked) => {
      if (!checked.issues) return checked.value;
      throw refused(nameOf(req), `"response" of the status ${status}`, 'result of the handler', checked);
    });
  };
}

function undeclared(status: number, response: ResponseSchemas): string {
  const declared = Object.keys(response);
  const which = declared.length === 1 ? 'it' : 'one of these';
  const known =
    declared.length === 0 ? 'none:' : `${declared.join(', ')}: set ${which} with res.status(), or`;
  return `"response" does not declare the status ${status}. It declares ${known} add ${status} to it`;
}

/** Returns a function that throws the checked form of an error. `nameFor`: the name of the throwing code in messages. */
export function errorCheck(errors: ErrorSchemas, nameFor: (req: HttpRequest) => string) {
  const reported = new Set<number>();
  return (thrown: unknown, req: HttpRequest, { logger }: RuntimeCtx): unknown => {
    // Errors of the framework are documented by the framework itself.
    if (!isHttpError(thrown) || thrown instanceof HttpProblem || isUnchecked(req)) throw thrown;
    const { status, body } = thrown;
    const schema = Object.hasOwn(errors, status) ? (errors as Schemas)[status] : undefined;
    if (!schema) {
      const text = `${nameFor(req)} responds with ${status}, which its "errors" do not declare`;
      if (process.env.NODE_ENV === 'development' && !reported.has(status))
        logger.warn({ code: 'FWK414' satisfies ProblemCode }, text);
      reported.add(status);
      throw thrown;
    }
    return checkedBy(schema, body, (checked): never => {
      if (checked.issues)
        throw refused(nameFor(req), `"errors" of the status ${status}`, 'body of the error', checked);
      throw new HttpError(status, checked.value);
    });
  };
}

const isGet = ({ method }: HttpRequest): boolean => method === 'GET' || method === 'HEAD';

const nameOf = ({ route, method, path }: HttpRequest): string => route.label ?? `${method} ${path}`;

function mismatch(name: string, why: string): Error {
  const error = coded('FWK414', new Error(`${name}: ${why}`));
  // The handler has already returned, so the stack trace would only show the check, not the mistake.
  error.stack = String(error);
  return error;
}

const refused = (name: string, schema: string, what: string, { issues = [] }: Checked): Error =>
  mismatch(name, `${schema} rejects the ${what}: ${describeIssues(plainIssues(issues))}`);

/** Return the result of `read` for the check of `value`; a promise if the schema checks asynchronously. */
export function checkedBy<Read>(
  schema: StandardSchema,
  value: unknown,
  read: (checked: Checked) => Read,
): Read | Promise<Read> {
  const checked = schema['~standard'].validate(value);
  return isThenable(checked) ? Promise.resolve(checked).then(read) : read(checked);
}
