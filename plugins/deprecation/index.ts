import { channel } from 'node:diagnostics_channel';
import { mistakesInOptions, option } from '../../contributions/index.js';
import { definePlugin, type Plugin, Stage } from '../../kernel/index.js';
import { logSafely, scopeLogger } from '../../scope/index.js';
import {
  type Handler,
  HttpProblem,
  type HttpRequest,
  type HttpRoute,
  isHttpRoute,
  mapHttpRoutes,
} from '../http/index.js';
import { isPlaceholder, notesOf, projectOf, readPath } from '../http/internal.js';

/** When a route was deprecated, and what replaces it: `.meta({ deprecated: { since: '2026-01-31' } })`. */
interface Deprecation {
  /** The day of the deprecation in UTC, such as `2026-01-31`, for the header `Deprecation` (RFC 9745). */
  readonly since: string;
  /** The last day on which the route works, for the header `Sunset` (RFC 8594). */
  readonly sunset?: string;
  /** The path of the route that replaces it, such as `/api/v2/books/:id`, for the header `Link`. */
  readonly use?: string;
  /** `true`: the route responds with 410 after the sunset day. Default: it keeps working. */
  readonly gone?: boolean;
}

declare module '../http/request/route-info.js' {
  interface RouteMeta {
    /** Announces the end of the route to its clients. */
    readonly deprecated?: Deprecation;
  }
}

/** A subscriber gets `method`, `route` and `client` of each request to a deprecated route. */
const CALLS = channel('fwk.deprecated.call');
const DAY_MS = 86_400_000;
/** The maximum number of clients of a route that are counted separately. */
const MAX_CLIENTS = 50;
const MAX_NAME_CHARACTERS = 64;

/** Announces deprecated routes to their clients, and counts the clients that still call them. */
export function deprecation(): Plugin {
  return definePlugin({
    name: 'deprecation',
    needs: ['http'],
    apply(hooks) {
      // Around the rate limit, so that every response of the route has the headers.
      hooks.resolve.tapPromise({ name: 'deprecation', stage: Stage.refuse }, async (routes, project) => {
        const deprecated = routes.filter(isHttpRoute).filter(({ meta }) => meta.deprecated !== undefined);
        if (deprecated.length === 0) return routes;
        const paths = new Set(
          routes.filter(isHttpRoute).flatMap((route) => (isPlaceholder(route) ? [] : [route.path])),
        );
        let isSound = true;
        for (const route of deprecated)
          for (const mistake of mistakesIn(route, paths)) {
            project.report(route.file, `has .meta({ deprecated }), which ${mistake}.`, 'FWK403');
            isSound = false;
          }
        return isSound ? mapHttpRoutes(routes, 'deprecation', announcing, []) : routes;
      });
    },
  });
}

const isDay = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && dayOf(value) === value;

/** The text again, unless the month has no such day. */
function dayOf(text: string): string | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString().slice(0, 10);
}

const DAY = 'a day such as "2026-01-31"';

const MEMBERS = {
  since: option.custom('', DAY, isDay),
  sunset: option.optional<string>(DAY, isDay),
  use: option.optional<string>('the path of a route', (value) => typeof value === 'string'),
  gone: option.optional<boolean>('true or false', (value) => typeof value === 'boolean'),
};

/** Clauses that complete "…, which". */
function mistakesIn({ path, meta }: HttpRoute, paths: ReadonlySet<string>): string[] {
  const mistakes = mistakesInOptions(meta.deprecated, MEMBERS);
  if (mistakes.length > 0 || !meta.deprecated) return mistakes;
  const { since, sunset, use, gone } = meta.deprecated;
  if (sunset !== undefined && sunset < since)
    mistakes.push('has a sunset before since. Swap the two days, or correct one');
  if (gone && sunset === undefined)
    mistakes.push('has gone: true without a sunset. Add the last day on which the route works');
  if (use === undefined) return mistakes;
  const own = readPath(path).names;
  const missing = readPath(use).names.find((name) => !own.includes(name));
  if (!paths.has(use))
    mistakes.push(`has use: "${use}", which is not the path of a route. Use a path that fwk routes lists`);
  else if (missing !== undefined)
    mistakes.push(
      `has use: "${use}", whose parameter "${missing}" is missing in ${path}. Use a path with the same parameters`,
    );
  return mistakes;
}

/** The handler of a deprecated route; undefined for every other route. */
function announcing({ path, handler, meta: { deprecated } }: HttpRoute): Handler | undefined {
  if (!deprecated) return undefined;
  const { since, sunset, use, gone } = deprecated;
  const headers = ['Deprecation', `@${Date.parse(since) / 1_000}`];
  const end = sunset === undefined ? Number.POSITIVE_INFINITY : Date.parse(sunset) + DAY_MS;
  // HTTP dates have whole seconds.
  if (sunset !== undefined) headers.push('Sunset', new Date(end - 1_000).toUTCString());
  const instead = use === undefined ? '' : ` Use ${use}.`;
  const refusal = gone && new HttpProblem(410, `${path} was removed after ${sunset}.${instead}`);
  const note = callCounter(path);
  return (req, res, ctx) => {
    res.preset(headers);
    // Added last, because a handler that sets a link of its own replaces earlier ones.
    if (use !== undefined)
      res.beforeHead(() => void res.preset(['Link', `<${filled(use, req)}>; rel="successor-version"`]));
    // Middlewares have noted the user by then.
    res.raw.once('close', () => note(req));
    if (refusal && projectOf(req).clock.date() >= end) throw refusal;
    return handler(req, res, ctx);
  };
}

/** A path with the parameters of the request. */
const filled = (path: string, { params }: HttpRequest): string =>
  path.replace(/(?<=\/)([:*])([^/]+)/g, (_, kind: string, name: string) => {
    const value = params[name] ?? '';
    return kind === '*' ? value.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value);
  });

/** Counts the calls of each client, and logs the first, the tenth, the hundredth and so on. */
function callCounter(route: string): (req: HttpRequest) => void {
  const counts = new Map<string, number>();
  return (req) => {
    const name = clientOf(req);
    const client = counts.has(name) || counts.size < MAX_CLIENTS ? name : 'other';
    const calls = (counts.get(client) ?? 0) + 1;
    counts.set(client, calls);
    const { method } = req;
    CALLS.publish({ method, route, client });
    if (!Number.isInteger(Math.log10(calls))) return;
    const text = `${method} ${route} is deprecated: call ${calls} by ${client}`;
    logSafely(scopeLogger(projectOf(req).logger, req), 'info', { text, fields: { client, calls } });
  };
}

/** The `user` that a middleware has noted, or else the product in the User-Agent (RFC 9110 §10.1.5). */
function clientOf({ raw }: HttpRequest): string {
  const user = notesOf(raw)?.user;
  const [product = 'unknown'] = /^[\w!#$%&'*+.^`|~-]+/.exec(raw.headers['user-agent'] ?? '') ?? [];
  return (typeof user === 'string' || typeof user === 'number' ? String(user) : product).slice(
    0,
    MAX_NAME_CHARACTERS,
  );
}
