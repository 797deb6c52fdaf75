import { isHttpError } from 'fwkit';
import { HttpProblem, httpRoute } from 'fwkit/http';
import { execute, GraphQLError, getOperationAST, parse, validate } from 'graphql';

/** @import { Handler, HttpRequest } from 'fwkit/http' */
/** @import { Project } from 'fwkit/plugin' */
/** @import { Loaded } from './schema.js' */

/** The type that answers have for clients that accept it, and then a status that says what went wrong. */
const TYPE = 'application/graphql-response+json';

/**
 * The routes of the endpoint, as "GraphQL over HTTP" has it.
 *
 * @param {Loaded} loaded
 * @param {Project} project
 * @param {number} maxTokens
 */
export function endpoint({ schema, file, members }, project, maxTokens) {
  /** @type {Handler} */
  const handler = async (req, res, ctx) => {
    const { query, operationName, variables } = paramsOf(req);
    const respond = (/** @type {import('graphql').ExecutionResult} */ { data, errors }) => {
      const hasStatus = (req.header('accept') ?? '').includes(TYPE);
      res.type(hasStatus ? TYPE : 'application/json').status(hasStatus && data === undefined ? 400 : 200);
      return { ...(errors && { errors: errors.map((error) => shown(error, req)) }), data };
    };
    const document = parsed(query);
    if (document instanceof GraphQLError) return respond({ errors: [document] });
    const errors = validate(schema, document);
    if (errors.length > 0) return respond({ errors });
    const operation = getOperationAST(document, operationName)?.operation ?? 'query';
    if (operation !== 'query' && req.method !== 'POST')
      throw new HttpProblem(405, `A ${operation} has to be sent with POST`, undefined, { Allow: 'POST' });
    const given = { operationName, variableValues: variables };
    return respond(await execute({ schema, document, contextValue: ctx, ...given }));
  };

  const parsed = (/** @type {string} */ query) => {
    try {
      return parse(query, { maxTokens });
    } catch (thrown) {
      if (thrown instanceof GraphQLError) return thrown;
      throw thrown;
    }
  };

  /** What `error()` made is for the client, and so is what GraphQL says; anything else is logged, and hidden in production. */
  const shown = (/** @type {GraphQLError} */ error, /** @type {HttpRequest} */ req) => {
    const { originalError: cause, path = [] } = error;
    if (!cause || cause instanceof GraphQLError) return error;
    if (isHttpError(cause)) return { ...error.toJSON(), extensions: { status: cause.status } };
    project.logger.error(`${req.method} /graphql failed at ${path.join('.')}:`, cause);
    if (project.mode === 'development') return error;
    return { ...error.toJSON(), message: 'Something went wrong on the server' };
  };

  /** @type {('GET' | 'POST')[]} */
  const methods = ['GET', 'POST'];
  return methods.map((method) =>
    httpRoute({
      kind: 'graphql',
      file,
      method,
      path: '/graphql',
      meta: {},
      handler,
      errors: 'json',
      members,
    }),
  );
}

/** @type {(req: HttpRequest) => { query: string, operationName?: string, variables?: Record<string, unknown> }} */
function paramsOf(req) {
  const isGet = req.method !== 'POST';
  // Pages of other sites may send text and forms without asking (CORS), but no JSON.
  if (!isGet && !/^application\/json\b/i.test(req.header('content-type') ?? ''))
    throw new HttpProblem(415, 'Send the query as JSON, with Content-Type: application/json');
  const { query, operationName, variables } = Object(isGet ? req.query : req.body);
  const values = isGet && variables ? jsonOf(variables) : variables;
  if (typeof query !== 'string') throw new HttpProblem(400, '"query" must be a text');
  if (typeof (operationName ?? '') !== 'string') throw new HttpProblem(400, '"operationName" must be a text');
  if (typeof (values ?? {}) !== 'object' || Array.isArray(values))
    throw new HttpProblem(400, '"variables" must be an object');
  return { query, operationName: operationName ?? undefined, variables: values };
}

function jsonOf(/** @type {string} */ text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpProblem(400, '"variables" must be JSON');
  }
}
