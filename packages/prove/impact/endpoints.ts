import { isHttpRoute, type Method, Router } from 'fwkit/http';
import type { BaseRoute, Project } from 'fwkit/plugin';
import { filesBefore } from '../graph/files-before.js';

/** The part of a report that an endpoint is listed in. */
export type Group = 'routes' | 'pages' | 'sockets' | 'tools' | 'jobs' | 'files';

/** What somebody outside, or the time, can ask of the app. */
export interface Endpoint {
  readonly group: Group;
  /** As the framework calls it: `api`, `web`, `ws`, `tool`, `cron`. */
  readonly kind: string;
  /** `GET /api/users/:id`, `TOOL users_find`. */
  readonly label: string;
  /** Relative to the source directory; `plugin "health"` where no file is behind it. */
  readonly file: string;
  /** Files that run before it: middlewares, and who may ask over MCP. */
  readonly chain: readonly string[];
  /** Absent where no URL of its own leads to it. */
  readonly address: Address | undefined;
  /** Its name for clients, of a tool, or for people, of a job. */
  readonly name: string | undefined;
  /** Of the readiness probe: the files of the services that it asks. No layer is around it. */
  readonly checks?: readonly string[];
  /** What serves it; absent for one that is no more, or that cannot be imported. */
  readonly route?: BaseRoute;
}

/** What stands for URLs that no route answers, so that middlewares run there. */
const NO_ROUTE = 'none';

/** All endpoints of a project: its routes, and what is behind a route that leads to several. */
export function endpointsOf(routes: readonly BaseRoute[], project: Pick<Project, 'entries'>): Endpoint[] {
  const served = routes.filter(({ kind }) => kind !== NO_ROUTE);
  return served.flatMap((route) => {
    const chain = filesBefore(route, project);
    return [ofRoute(route, chain), ...(route.members ?? []).map((member) => ofMember(route, member, chain))];
  });
}

function ofRoute(route: BaseRoute, chain: readonly string[]): Endpoint {
  const { kind, label, file } = route;
  const address = isHttpRoute(route) ? { method: route.method, path: route.path } : undefined;
  const name: unknown = Reflect.get(route, 'name');
  return {
    group: groupOf(route),
    kind,
    label,
    file,
    chain,
    address,
    name: typeof name === 'string' ? name : undefined,
    route,
  };
}

const ofMember = (
  route: BaseRoute,
  member: NonNullable<BaseRoute['members']>[number],
  chain: readonly string[],
): Endpoint => ({
  group: 'tools',
  kind: member.kind,
  label: member.label,
  file: member.file,
  chain: [...new Set([...chain, ...(member.chain ?? [])])],
  address: undefined,
  name: member.name,
  route,
});

function groupOf(route: BaseRoute): Group {
  if (!isHttpRoute(route)) return route.protocol === 'mcp' ? 'routes' : 'jobs';
  if (route.kind === 'ws') return 'sockets';
  return route.kind === 'web' ? 'pages' : 'routes';
}

/** Whether a project file is behind an endpoint. */
export const hasFile = ({ file }: Endpoint): boolean => !file.startsWith('plugin "');

/** What a request is for. */
export interface Address {
  /** `GET`, `ALL`. */
  readonly method: Method;
  /** `/users/:id`, `/docs/*rest`, as routes have it: literal segments decoded. */
  readonly path: string;
}

/** The beginning of a URL path that a text spells. */
export interface Spelled {
  /** From its slash, without query: `/api/users/`. */
  readonly path: string;
  /** Whether it may go on in the same segment. */
  readonly isOpen: boolean;
}

const METHODS: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** A segment that no route names. */
const ANY = '~any~';

/** Knows which of a list of routes answers a URL. */
export class Addresses<Route extends Address> {
  readonly #router = new Router<Route>();

  constructor(private readonly routes: readonly Route[]) {
    for (const route of routes) this.#router.add(route, route);
  }

  /** The routes that answer a URL which `address` would answer, too. */
  answering(address: Address): Route[] {
    const methods = methodsOf(address.method);
    return this.routes.filter((route) => {
      const url = common(segmentsOf(address.path), segmentsOf(route.path));
      return url !== undefined && methods.some((method) => this.#answers(route, method, url));
    });
  }

  /** The routes that answer a URL which begins as a text does. */
  spelledBy({ path, isOpen }: Spelled): Route[] {
    const segments = path.split('/').slice(1);
    // Of `/` nothing follows but by what is added to it.
    if (path === '/' && !isOpen) return this.answering({ method: 'ALL', path: '/' });
    return this.routes.filter((route) => {
      const url = continued(segments, isOpen, segmentsOf(route.path));
      return url !== undefined && METHODS.some((method) => this.#answers(route, method, url));
    });
  }

  #answers(route: Route, method: string, url: readonly string[]): boolean {
    const found = this.#router.find(method, `/${url.map(encodeURIComponent).join('/')}`);
    return typeof found === 'object' && 'value' in found && found.value === route;
  }
}

/** Those that a route of a method may answer. */
const methodsOf = (method: Method): readonly Method[] =>
  method === 'ALL' ? METHODS : method === 'GET' ? ['GET', 'HEAD'] : [method];

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

const isCatchAll = (segment: string | undefined): boolean => segment?.startsWith('*') === true;
const isParameter = (segment: string): boolean => segment.startsWith(':') || segment.startsWith('*');
const concrete = (segments: readonly string[]): string[] =>
  segments.map((segment) => (isParameter(segment) ? ANY : segment));

/**
 * A URL that two paths match, with no other literal in it than theirs: so that what goes before one of them there goes before it at
 * each URL of both. Undefined where there is none.
 */
function common(a: readonly string[], b: readonly string[]): string[] | undefined {
  const url: string[] = [];
  for (let at = 0; ; at++) {
    const [one, other] = [a[at], b[at]];
    if (one === undefined && other === undefined) return url;
    if (one === undefined || other === undefined) return undefined;
    if (isCatchAll(one)) return [...url, ...concrete(b.slice(at))];
    if (isCatchAll(other)) return [...url, ...concrete(a.slice(at))];
    if (!isParameter(one) && !isParameter(other) && one !== other) return undefined;
    url.push(isParameter(one) ? (isParameter(other) ? ANY : other) : one);
  }
}

/** A URL of a route that begins as `spelled`; the last of its segments may be a part of one where it `isOpen`. */
function continued(
  spelled: readonly string[],
  isOpen: boolean,
  route: readonly string[],
): string[] | undefined {
  const url: string[] = [];
  for (const [at, text] of spelled.entries()) {
    const segment = route[at];
    const isLast = at === spelled.length - 1;
    // A slash at the end is ignored, and something may follow it.
    if (text === '' && isLast) return [...url, ...concrete(route.slice(at))];
    if (segment === undefined) return undefined;
    const isPart = isOpen && isLast;
    if (isCatchAll(segment)) return [...url, ...spelled.slice(at).map((one) => one || ANY)];
    if (isParameter(segment)) url.push(isPart ? `${text}${ANY}` : text);
    else if (segment === text || (isPart && segment.startsWith(text))) url.push(segment);
    else return undefined;
  }
  return [...url, ...concrete(route.slice(spelled.length))];
}

/** The beginning of a URL path in a text: `/users`, `http://localhost:3000/users?page=2`, `GET /users`, `users/`. */
export function spelledIn(text: string, isOpen: boolean): Spelled | undefined {
  const [, given] = /^(?:[A-Z]+ )?(?:(?:https?|wss?):\/\/[^/]*)?(\/[^\s?#]*)(?:[?#]|$)/s.exec(text) ?? [];
  if (given !== undefined) return { path: decoded(given), isOpen: isOpen && !/[?#]/.test(text) };
  const [, relative] = /^([\w.~%-]+\/[^\s?#]*)(?:[?#]|$)/s.exec(text) ?? [];
  return relative === undefined
    ? undefined
    : { path: `/${decoded(relative)}`, isOpen: isOpen && !/[?#]/.test(text) };
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
