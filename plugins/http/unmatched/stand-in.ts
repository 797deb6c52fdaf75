import type { IncomingMessage } from 'node:http';
import type { Project } from '../../../kernel/index.js';
import { HttpProblem, NOT_FOUND } from '../errors/errors.js';
import { badTarget } from '../request/forwarded.js';
import { type HttpRequest, targetOf } from '../request/request.js';
import { NO_ROUTE } from '../request/route-info.js';
import type { Handler, HttpRoute } from '../routing/route.js';
import type { Unmatched } from '../routing/router.js';

/** Where the URLs of a convention directory begin. */
export interface Mount {
  /** `api` */
  readonly directory: string;
  /** `/api`, or '' for the root. */
  readonly mount: string;
  /** `'json'`: errors below it are JSON in production, whatever a client accepts. */
  readonly errors?: 'json';
}

/** Stands in for a route where none matches, so that layers run around it as around any other. */
export interface StandIn extends HttpRoute {
  /** Where the URLs begin that it stands in for: `/api/admin`, decoded; undefined where it stands in for files only. */
  readonly prefix: string | undefined;
  /** Directories whose layers run around it, each with a slash at the end. */
  readonly directories: readonly string[];
}

export const isStandIn = (route: HttpRoute): route is StandIn => route.kind === NO_ROUTE.kind;

/** Directories whose layers run around a route: its own, or those that it stands in for. Each ends with a slash. */
export const directoriesOf = (route: HttpRoute): readonly string[] =>
  isStandIn(route) ? route.directories : [route.file.slice(0, route.file.lastIndexOf('/') + 1)];

const mountsOf = (project: Project): Mount[] => project.slot<Mount[]>('http.mounts', () => []);

/** Say where a convention's URLs begin. */
export const addMount = (project: Project, mount: Mount): void => void mountsOf(project).push(mount);

/** Stand-ins below every mount, and one around everything. */
export const standInsAtMounts = (project: Project): StandIn[] => [
  ...mountsOf(project).map((mount) => standIn(mount.mount, [`${mount.directory}/`], mount)),
  standIn('', []),
];

/**
 * Stand-ins below directories that have layers of their own, each with a slash at the end: wrap them as routes, and the
 * layers run for URLs without a route, too. A URL is below a directory where all of the directory's names are literal; groups are transparent. Where several directories have one URL, the
 * layers of all of them run: a guard hides what exists.
 */
export function standInsBelow(directories: readonly string[], project: Project): StandIn[] {
  const byFile: StandIn[] = [];
  const byUrl = new Map<string, StandIn>();
  for (const directory of directories) {
    const mount = mountsOf(project).find((one) => directory.startsWith(`${one.directory}/`));
    if (!mount || directory === `${mount.directory}/`) continue;
    byFile.push(standIn(undefined, [directory], mount));
    const names = directory.slice(mount.directory.length + 1, -1).split('/');
    if (names.some(isParameter) || isGroup(names.at(-1) ?? '')) continue;
    const prefix = [mount.mount, ...names.filter((name) => !isGroup(name))].join('/');
    byUrl.set(prefix, standIn(prefix, [...(byUrl.get(prefix)?.directories ?? []), directory], mount));
  }
  // Groups apart, a directory is inside of those above it: so is what stands in below its URL.
  const nested = [...byUrl].map(([prefix, inner]) => {
    const outer = [...byUrl].filter(([above]) => prefix.startsWith(`${above}/`));
    return { ...inner, directories: [...inner.directories, ...outer.flatMap(([, one]) => one.directories)] };
  });
  return [...byFile, ...nested];
}

const isGroup = (name: string): boolean => name.startsWith('(');
const isParameter = (name: string): boolean => name.includes('[');

export const standIn = (
  prefix: string | undefined,
  directories: readonly string[],
  mount?: Mount,
): StandIn => ({
  kind: NO_ROUTE.kind,
  protocol: 'http',
  method: 'ALL',
  // Never printed, and the path of no route.
  label: '',
  id: '',
  file: directories[0] ?? '',
  path: `${prefix ?? ''}/*`,
  meta: {},
  layers: [],
  handler: answerUnmatched,
  prefix,
  directories,
  ...(mount?.errors ? { errors: mount.errors } : {}),
});

/** Reasons why a request has no route. */
const reasons = new WeakMap<HttpRequest, Unmatched<unknown>>();

/** Say why `req` has no route, before its stand-in answers. */
export const setReason = (req: HttpRequest, found: Unmatched<unknown>): void => void reasons.set(req, found);

/** The handler of every stand-in: it throws the problem, so that layers see it. */
const answerUnmatched: Handler = (req, res) => {
  const found = reasons.get(req);
  if (found === undefined) throw NOT_FOUND;
  const problem = problemOf(found, req.raw);
  if (problem) throw problem.on(res);
  if (found !== 'malformed') res.header('Allow', found.allow.join(', '));
};

/** Whether no layer is around it: its problem can be answered at once. */
export const isBare = ({ handler }: HttpRoute): boolean => handler === answerUnmatched;

/** The problem of a request without a route; undefined where it asks what its URL, or all, allows (RFC 9110 §9.3.7). */
export function problemOf(found: Unmatched<unknown>, raw: IncomingMessage): HttpProblem | undefined {
  const { method = 'GET' } = raw;
  if (found === 'malformed')
    return method === 'OPTIONS' && raw.url === '*' ? undefined : badTarget(targetOf(raw));
  const { allow } = found;
  if (allow.length === 0) return NOT_FOUND;
  if (method === 'OPTIONS') return undefined;
  return new HttpProblem(405, `${method} is not answered here`, undefined, { Allow: allow.join(', ') });
}
