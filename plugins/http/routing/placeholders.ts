import type { IncomingMessage } from 'node:http';
import { type Project, slotKey } from '../../../kernel/index.js';
import { badTarget } from '../request/forwarded.js';
import { HttpProblem, NOT_FOUND } from '../request/http-error.js';
import { decoded } from '../request/path-segments.js';
import type { HttpRequest } from '../request/request.js';
import { NO_ROUTE } from '../request/route-info.js';
import { targetOf } from '../request/target.js';
import type { Fronts, Handler } from '../response/handler.js';
import { type FilePath, PathError, PathReader } from './file-path.js';
import { fullRoute, type HttpRoute, type Method, type Placeholder } from './route.js';
import type { Unmatched } from './router.js';

const PLACEHOLDERS = slotKey<{ index: PlaceholderIndex }>('http.placeholders');

const MOUNTS = slotKey<Mount[]>('http.mounts');

/** The URL prefix of a convention directory. */
export interface Mount {
  readonly directory: string;
  readonly mount: string;
  /** `'json'`: errors below it are JSON in production, whatever the client accepts. */
  readonly errors?: 'json';
}

/** A synthetic route, with which middlewares and other layers also run for 404 and 405. */
export interface PlaceholderRoute extends HttpRoute {
  readonly placeholder: Placeholder;
}

export const isPlaceholder = (route: HttpRoute): route is PlaceholderRoute => route.placeholder !== undefined;

/** Directories whose layers run around a route: its own directory, or the directories of a placeholder. Each has a trailing slash. */
export const directoriesOf = (route: HttpRoute): readonly string[] =>
  isPlaceholder(route)
    ? route.placeholder.directories
    : [route.file.slice(0, route.file.lastIndexOf('/') + 1)];

const mountsOf = (project: Project): Mount[] => project.slot(MOUNTS, () => []);

export const addMount = (project: Project, mount: Mount): void => void mountsOf(project).push(mount);

/** A placeholder route below every mount, and one for all other URLs. */
export const placeholdersAtMounts = (project: Project): readonly PlaceholderRoute[] =>
  keptPlaceholders(AT_MOUNTS, [], project, () => [
    ...mountsOf(project).map((mount) => placeholderRoute(mount.mount, [`${mount.directory}/`], mount)),
    placeholderRoute('', []),
  ]);

interface PreviousPlaceholders {
  key: string;
  placeholders: readonly PlaceholderRoute[];
}

const AT_MOUNTS = slotKey<PreviousPlaceholders>('http.placeholders.mounts');
const BELOW = slotKey<PreviousPlaceholders>('http.placeholders.below');

/** The placeholders of the previous version, if its mounts and directories were the same: its layers can then be kept, too. */
function keptPlaceholders(
  slot: typeof BELOW,
  directories: readonly string[],
  project: Project,
  make: () => readonly PlaceholderRoute[],
): readonly PlaceholderRoute[] {
  const key = JSON.stringify([mountsOf(project), directories]);
  const previous = project.previous?.slot(slot, () => ({ key: '', placeholders: [] }));
  const placeholders = previous?.key === key ? previous.placeholders : make();
  project.slot(slot, () => ({ key, placeholders }));
  return placeholders;
}

/**
 * Create placeholder routes below directories with their own layers, each with a trailing slash. Wrap them like other routes,
 * and the layers also run for 404 and 405 there. A URL is below a directory if all names of the directory are literal; groups
 * are ignored. If several directories have the same URL, the layers of all of them run, so that a guard doesn't reveal which
 * routes exist.
 */
export const placeholdersBelow = (
  directories: readonly string[],
  project: Project,
): readonly PlaceholderRoute[] =>
  keptPlaceholders(BELOW, directories, project, () => newPlaceholders(directories, project));

function newPlaceholders(directories: readonly string[], project: Project): PlaceholderRoute[] {
  const byFile: PlaceholderRoute[] = [];
  const byUrl = new Map<string, { readonly mount: Mount; readonly directories: readonly string[] }>();
  for (const directory of directories) {
    const mount = mountsOf(project).find((one) => directory.startsWith(`${one.directory}/`));
    if (!mount || directory === `${mount.directory}/`) continue;
    byFile.push(placeholderRoute(undefined, [directory], mount));
    const names = directory.slice(mount.directory.length + 1, -1).split('/');
    if (names.some(isParameter) || isGroup(names.at(-1) ?? '')) continue;
    const prefix = [mount.mount, ...names.filter((name) => !isGroup(name))].join('/');
    byUrl.set(prefix, { mount, directories: [...(byUrl.get(prefix)?.directories ?? []), directory] });
  }
  // Without groups, a directory is inside its parent directories, so its placeholder is inside theirs.
  const nested = [...byUrl].map(([prefix, inner]) => {
    const outer = [...byUrl].filter(([above]) => prefix.startsWith(`${above}/`));
    const all = [...inner.directories, ...outer.flatMap(([, one]) => one.directories)];
    return placeholderRoute(prefix, all, inner.mount);
  });
  return [...byFile, ...nested];
}

const isGroup = (name: string): boolean => name.startsWith('(');
const isParameter = (name: string): boolean => name.includes('[');

const placeholderRoute = (
  prefix: string | undefined,
  directories: readonly string[],
  mount?: Mount,
): PlaceholderRoute =>
  fullRoute({
    kind: NO_ROUTE.kind,
    protocol: 'http',
    method: 'ALL',
    // Never printed, and not the path of a route.
    label: '',
    id: '',
    file: directories[0] ?? '',
    path: `${prefix ?? ''}/*`,
    meta: {},
    layers: [],
    handler: throwUnmatched,
    placeholder: { prefix, directories },
    ...(mount?.errors ? { errors: mount.errors } : {}),
  }) as PlaceholderRoute;

const reasons = new WeakMap<HttpRequest, Unmatched<unknown>>();

export const setReason = (req: HttpRequest, found: Unmatched<unknown>): void => void reasons.set(req, found);

/** The handler of every placeholder route. It throws the problem, so that layers see it. */
const throwUnmatched: Handler = (req, res) => {
  const found = reasons.get(req);
  if (found === undefined) throw NOT_FOUND;
  const problem = problemOf(found, req.raw);
  if (problem) throw problem.on(res);
  if (found !== 'malformed') res.header('Allow', found.allowedMethods.join(', '));
};

/** Whether a placeholder route has no layers, so that its problem can be sent directly. */
export const hasNoLayers = ({ handler }: HttpRoute): boolean => handler === throwUnmatched;

/** The problem of a request without a route; undefined for an OPTIONS request for the allowed methods (RFC 9110 §9.3.7). */
export function problemOf(found: Unmatched<unknown>, raw: IncomingMessage): HttpProblem | undefined {
  const { method = 'GET' } = raw;
  if (found === 'malformed')
    return method === 'OPTIONS' && raw.url === '*' ? undefined : badTarget(targetOf(raw));
  const { allowedMethods } = found;
  if (allowedMethods.length === 0) return NOT_FOUND;
  if (method === 'OPTIONS') return undefined;
  return new HttpProblem(405, `The method ${method} is not allowed here`, undefined, {
    Allow: allowedMethods.join(', '),
  });
}

export class PlaceholderIndex {
  readonly #byUrl: readonly PlaceholderRoute[];
  readonly #byDirectory: readonly PlaceholderRoute[];
  /** Set if all placeholders have the same fronts, as in most projects. */
  readonly #fronts: { readonly shared: Fronts | undefined } | undefined;

  constructor(all: readonly PlaceholderRoute[]) {
    const length = ({ placeholder: { prefix = '' } }: PlaceholderRoute): number => prefix.length;
    const inside = ({ placeholder: { directories } }: PlaceholderRoute): number =>
      directories[0]?.length ?? 0;
    this.#byUrl = all
      .filter(({ placeholder: { prefix } }) => prefix !== undefined)
      .sort((a, b) => length(b) - length(a));
    this.#byDirectory = all
      .filter(({ placeholder: { directories } }) => directories.length < 2)
      .sort((a, b) => inside(b) - inside(a));
    const [first, ...others] = this.#byUrl;
    this.#fronts = others.every(({ fronts }) => fronts === first?.fronts)
      ? { shared: first?.fronts }
      : undefined;
  }

  frontsAt(path: string): Fronts | undefined {
    return this.#fronts ? this.#fronts.shared : this.at(path).fronts;
  }

  get hasFronts(): boolean {
    return this.#byUrl.some(({ fronts }) => fronts !== undefined);
  }

  /** The longest prefix's placeholder for a path without a route; the root's for targets such as `*`. */
  at(path: string): PlaceholderRoute {
    if (!path.startsWith('/')) return this.at('/');
    // An encoded slash stays inside its segment.
    const decode = (segment: string) => decoded(segment).replaceAll('/', '%2F');
    const read = path.includes('%') ? path.split('/').map(decode).join('/') : path;
    for (const one of this.#byUrl) {
      const { prefix = '' } = one.placeholder;
      if (read.startsWith(prefix) && (read.length === prefix.length || read.charAt(prefix.length) === '/'))
        return one;
    }
    return EVERYWHERE;
  }

  /** For a URL that these routes answer under other methods: the placeholder whose layers are around all of them. */
  around(routes: readonly HttpRoute[]): PlaceholderRoute {
    const inner = routes.flatMap(directoriesOf);
    const isAround = ({ placeholder: { directories } }: PlaceholderRoute) => {
      const [outer = ''] = directories;
      return inner.every((one) => one.startsWith(outer));
    };
    return this.#byDirectory.find(isAround) ?? EVERYWHERE;
  }
}

/** The placeholder of a project without layers. */
const EVERYWHERE = placeholderRoute('', []);

const holderOf = (project: Project): { index: PlaceholderIndex } =>
  project.slot(PLACEHOLDERS, () => ({ index: new PlaceholderIndex([]) }));

export function setPlaceholders(project: Project, index: PlaceholderIndex): void {
  holderOf(project).index = index;
}

export const placeholdersOf = (project: Project): PlaceholderIndex => holderOf(project).index;

interface FileUrlsOptions extends Mount {
  /** The suffixes of file names, and their methods: `{ get: 'GET' }`. Default: none. */
  readonly suffixes?: Readonly<Record<string, Method>>;
}

/**
 * Returns a function that maps each file of a directory to its URL, in the same way as in `web/`. If the path of a file is not
 * valid, the function reports it and returns undefined. Call this in a tap of `resolve` before `Stage.wrap`: middlewares then also
 * run for URLs below `mount` that have no route.
 */
export function fileUrls(
  project: Project,
  { suffixes = {}, ...mount }: FileUrlsOptions,
): (file: string) => FilePath | undefined {
  addMount(project, mount);
  const paths = new PathReader(mount.mount, suffixes);
  return (file) => {
    const url = paths.read(file.slice(mount.directory.length + 1));
    if (!(url instanceof PathError)) return url;
    project.report(file, url.message, 'FWK101');
    return undefined;
  };
}
