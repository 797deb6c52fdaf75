import { isHttpError } from 'fwkit';
import { HttpProblem, httpRoute } from 'fwkit/http';
import { GraphQLError, parse } from 'graphql';
import { createHandler } from 'graphql-http';

/** @import { Handler, HttpRequest } from 'fwkit' */
/** @import { Project } from 'fwkit/plugin' */
/** @import { Loaded } from './schema.js' */

/**
 * Advice for requests that graphql-http refuses with 406 or 415 without a body. Other sites may send text and forms
 * without a CORS preflight, but not JSON.
 */
const ADVICE = 'Send the query as JSON, with Content-Type: application/json, and accept JSON';

/**
 * The routes of the endpoint. Parameters, status codes and media types are left to graphql-http.
 *
 * @param {Loaded} loaded
 * @param {Project} project
 * @param {number} maxTokens
 */
export function endpoint({ schema, file, members }, project, maxTokens) {
  /** @type {Handler} */
  const handler = async (req, res, ctx) => {
    const answer = createHandler({
      schema,
      context: Object(ctx),
      parse: (source, options) => parse(source, { ...options, maxTokens }),
      formatError: (error) => shown(/** @type {GraphQLError} */ (error), req),
    });
    const { raw, headers } = req;
    // A HEAD request is handled as a GET, without a response body.
    const method = req.method === 'POST' ? 'POST' : 'GET';
    const sent = { method, url: raw.url ?? '', headers, body: Object(req.body), raw, context: ctx };
    const [text, { status, headers: given = {} }] = await answer(sent);
    if (text === null) throw new HttpProblem(status, ADVICE, undefined, given);
    res.status(status).type('application/json; charset=utf-8');
    for (const name in given) res.header(name, given[name]);
    res.send(text);
  };

  const errors = /** @type {const} */ ('json');
  const route = { kind: 'graphql', file, path: '/graphql', meta: {}, handler, errors, members };
  return [httpRoute({ ...route, method: 'GET' }), httpRoute({ ...route, method: 'POST' })];

  /**
   * Errors from `error()` and from GraphQL are shown to the client. Other errors are logged, and hidden in production.
   */
  function shown(/** @type {GraphQLError} */ error, /** @type {HttpRequest} */ req) {
    const { originalError: cause, message, nodes = null, path = null } = error;
    if (!cause || cause instanceof GraphQLError) return error;
    if (isHttpError(cause))
      return new GraphQLError(message, { nodes, path, extensions: { status: cause.status } });
    project.logger.error(`${req.method} /graphql failed at ${path?.join('.')}`, cause);
    if (project.mode === 'development') return error;
    return new GraphQLError('Something went wrong on the server', { nodes, path });
  }
}
