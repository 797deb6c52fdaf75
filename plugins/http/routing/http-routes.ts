import { isDeepStrictEqual } from 'node:util';
import { brand, option, wrongMembers } from '../../../contributions/index.js';
import {
  definePlugin,
  type Entry,
  type Namespace,
  type Plugin,
  type ProblemCode,
  type Project,
  slotKey,
} from '../../../kernel/index.js';
import { onDemand } from '../../../loader/index.js';
import { MAX_MS } from '../options.js';
import type { RouteMeta } from '../request/route-info.js';
import type { Handler } from '../response/handler.js';
import { type AnyDefinition, checkedParts, toolOf } from '../schema/definition.js';
import { driftMistakes } from '../schema/definition-mistakes.js';
import { unsendableMistakes } from '../schema/unsendable.js';
import { type Convention, METHODS } from './convention.js';
import { checkedHandler, type Endpoint, isEndpoint } from './endpoint.js';
import { type FilePath, PathError, PathReader } from './file-path.js';
import { addMount } from './placeholders.js';
import { copyRoute, type HttpRoute, httpRoute, METHOD_OF_SUFFIX, type Method, wrapperName } from './route.js';
import { routeTypes } from './route-types.js';

/** Recorded metadata of a route, so that the route is known before its module is imported. */
type RouteFacts = Pick<HttpRoute, 'method' | 'meta' | 'checks' | 'tool'>;

const isFacts = (facts: unknown): facts is RouteFacts =>
  typeof facts === 'object' && facts !== null && 'method' in facts;

/** The handler of a module that is imported by its first request. A build has checked the module. */
function lazyHandler(entry: Entry, project: Project, convention: Convention): Handler {
  let handler: Handler | undefined;
  const load = onDemand(async () => {
    const { default: exported } = await project.import(entry);
    const endpoint = convention.endpointOf(exported, project);
    if (!endpoint) throw new Error(`${entry.file} no longer exports an endpoint`);
    handler = handlerOf(endpoint);
    return handler;
  });
  return (req, res, ctx) =>
    handler ? handler(req, res, ctx) : load().then((loaded) => loaded(req, res, ctx));
}

/** Endpoints that a convention makes itself have a handler without the checks of their definition. */
const handlerOf = ({ handler, definition }: Pick<Endpoint, 'handler' | 'definition'>): Handler =>
  definition ? checkedHandler(definition, handler) : handler;

/** The definition of a route whose module may not be imported yet. */
const lazyDefinition =
  (entry: Entry, project: Project, convention: Convention): NonNullable<HttpRoute['definition']> =>
  async () =>
    convention.endpointOf((await project.import(entry)).default, project)?.definition;

/** For a route whose method or metadata an edit changed, which is noticed only when the module is checked. */
const OUTDATED =
  'the route has changed since the last served version. It is served again when the last edits have no mistakes';

interface UnverifiedRoute {
  readonly route: HttpRoute;
  readonly entry: Entry;
  readonly project: Project;
  readonly importRoute: () => Promise<HttpRoute | undefined>;
  /** Called with the route when it is verified. */
  readonly keep: (verified: HttpRoute) => void;
}

/**
 * The route from the previous version. Its module is imported by its first request, or by the verification. Later versions keep the
 * verified route, so it then refers to nothing of this version.
 */
function unverifiedRoute(given: UnverifiedRoute): HttpRoute {
  const copy = copyRoute(given.route);
  let { handler, definition } = copy;
  let pending: UnverifiedRoute | undefined = given;
  let imported: Promise<HttpRoute | undefined> | undefined;
  const isSame = async (): Promise<boolean | undefined> => {
    if (!pending) return true;
    imported ??= pending.importRoute();
    const now = await imported;
    if (!pending) return true;
    if (!now) return undefined;
    ({ handler, definition } = now);
    const { route, keep } = pending;
    if (
      now.method !== route.method ||
      !isDeepStrictEqual(now.meta, route.meta) ||
      !isDeepStrictEqual(now.checks, route.checks) ||
      !isDeepStrictEqual(now.tool, route.tool)
    )
      return false;
    pending = undefined;
    keep(copy);
    return true;
  };
  // A module that can't be imported has already been reported.
  given.project.run.verification.add(async () => (await isSame()) !== false);
  copy.ready = async () => {
    if ((await isSame()) || !pending) return;
    const { entry, project } = pending;
    const { verification } = project.run;
    if (verification.hasSkippedChecks) {
      handler = () => project.import(entry).then(() => Promise.reject(new Error(OUTDATED)));
      return;
    }
    verification.startNow();
    throw new Error('the module has changed');
  };
  copy.handler = (req, res, ctx) => handler(req, res, ctx);
  if (definition) copy.definition = async () => definition?.();
  return copy;
}

/** An HTTP convention: a directory, the URLs of its files, and the exports of its modules. */
export interface HttpRoutesOptions {
  /** The name of the plugin, and the kind of its files. */
  readonly name: string;
  /** The convention directory, below the source directory. */
  readonly directory: string;
  /** The prefix of its paths: `/api`, or '' for the root. */
  readonly mount: string;
  /** Extensions of further files that are modules: `['tsx']`. They are served like `.ts` and `.js` files. */
  readonly extensions?: readonly ('tsx' | 'jsx')[];
  /** `'json'`: in production, errors below `mount` are JSON whatever the client accepts. Default: pages for browsers. */
  readonly errors?: 'json';
  /** Texts and starter files for `fwk scaffold` and `fwk skills`. */
  readonly guide?: Plugin['guide'];
  /** How modules become routes. Default: they export an endpoint made by `get()`, `post()` or another method wrapper. */
  readonly convention?: Convention;
}

/** Create a plugin that serves every file in `directory` below `mount` over HTTP. File paths map to URLs in the same way as in `api/`. */
export function httpRoutes(options: HttpRoutesOptions): Plugin {
  const { name, directory, mount, errors, guide, extensions = [], convention = METHODS } = options;
  const paths = new PathReader(mount, convention.suffixes);
  // A cache per plugin, because the URL of a file depends on all options.
  const urls = new WeakMap<Entry, FilePath | PathError>();
  const checked = new WeakMap<Namespace, CheckedRoute>();
  const CHECKED_FILES = slotKey<CheckedFiles>(`${name}.kept-routes`);
  const errorFormat = errors ? { errors } : {};
  const labelled = (route: HttpRoute): HttpRoute => {
    if (convention.verb === undefined) return route;
    const named = copyRoute(route);
    named.label = `${convention.verb} ${route.path}`;
    return named;
  };
  return definePlugin({
    name,
    needs: ['http'],
    ...(guide ? { guide } : {}),
    types: (project) => routeTypes(project, project.files(name), { ...options, convention, urlOf: routeUrl }),
    apply(hooks) {
      hooks.discover.tap(name, (claims) => {
        claims.add(name, `${directory}/**`);
        for (const extension of extensions) claims.add(name, `${directory}/**/*.${extension}`);
      });

      hooks.resolve.tapPromise(name, async (routes, project) => {
        addMount(project, { directory, mount, ...errorFormat });
        const found = routesIn(project);
        // With a manifest, all routes are known. Awaiting a promise for each would take as long as creating them.
        const own = found.every(isKnown) ? found : await Promise.all(found);
        return routes.concat(own.filter((route) => route !== undefined));
      });
    },
  });

  type RouteOrNone = HttpRoute | undefined;

  function isKnown(found: RouteOrNone | Promise<RouteOrNone>): found is RouteOrNone {
    return !(found instanceof Promise);
  }

  /** Not inside the tap, which is a new function in each version, so that V8 can keep its optimized code. */
  function routesIn(project: Project): (RouteOrNone | Promise<RouteOrNone>)[] {
    const entries = project.files(name);
    const current: CheckedFiles = project.slot(CHECKED_FILES, () => ({ entries, routes: [] }));
    // Other conventions may create a new endpoint for each version.
    const renewed = convention === METHODS ? project.renewed : undefined;
    const before = renewed && project.previous?.slot(CHECKED_FILES, () => ({ entries: [], routes: [] }));
    return entries.map((entry, at) => {
      const isUnchanged = before?.entries[at] === entry && !renewed?.has(entry.file);
      const reused = (isUnchanged ? before.routes[at] : undefined) ?? reusableRoute(entry, project);
      current.routes.push(reused);
      if (!reused) return toRoute(entry, project);
      project.run.recordMetadata(entry, reused.facts);
      return reused.route;
    });
  }

  /** The route of an unchanged file without mistakes, the most common case when a file is saved. */
  function reusableRoute(entry: Entry, project: Project): CheckedRoute | undefined {
    const module = project.loaded(entry);
    const known = module && checked.get(module);
    if (known?.route.file !== entry.file) return undefined;
    return convention.endpointOf(module?.default, project) === known.endpoint ? known : undefined;
  }

  function toRoute(entry: Entry, project: Project): RouteOrNone | Promise<RouteOrNone> {
    const { file } = entry;
    const url = urlOf(entry);
    if (url instanceof PathError) {
      project.report(file, url.message, 'FWK101');
      return project.load(entry).then(() => undefined);
    }
    const importRoute = async (): Promise<RouteOrNone> => {
      const module = await project.load(entry);
      return module && routeOf(entry, url, module, project);
    };
    const known = project.loaded(entry);
    if (known) return routeOf(entry, url, known, project);
    const facts = project.run.cachedMetadata(entry);
    if (!isFacts(facts)) return importRoute();
    project.run.recordMetadata(entry, facts);
    const handler = lazyHandler(entry, project, convention);
    const definition = facts.checks ? { definition: lazyDefinition(entry, project, convention) } : {};
    const route = labelled(
      httpRoute({ kind: name, file, path: url.path, ...facts, ...definition, handler, ...errorFormat }),
    );
    if (!project.run.mustVerify) return route;
    const keep = (verified: HttpRoute): void => {
      const module = project.loaded(entry);
      const known = module && checked.get(module);
      if (known) checked.set(module, { ...known, route: verified });
    };
    return unverifiedRoute({ route, entry, project, importRoute, keep });
  }

  function routeOf(entry: Entry, url: FilePath, module: Namespace, project: Project): RouteOrNone {
    const { file } = entry;
    const endpoint = convention.endpointOf(module.default, project);
    if (!endpoint) {
      if (module.default === undefined) project.report(file, convention.missing, 'FWK104');
      else project.report(file, misplaced(module.default) ?? convention.unwrapped, 'FWK105');
      return undefined;
    }
    // A convention in JavaScript may leave the metadata out.
    const { method, metadata: meta = {}, definition } = endpoint;
    const handler = handlerOf(endpoint);
    const facts: RouteFacts = { method, meta, ...(definition ? factsIn(definition) : {}) };
    // Most files have no record, and the comparison is the most expensive step here.
    const isRecorded =
      Object.keys(meta).length === 0 || isDeepStrictEqual(meta, JSON.parse(JSON.stringify(meta)));
    if (isRecorded) project.run.recordMetadata(entry, facts);
    let isRight = true;
    const report = (mistakes: readonly string[], code: ProblemCode): void => {
      for (const mistake of mistakes) project.report(file, mistake, code);
      if (mistakes.length > 0) isRight = false;
    };
    report(metaMistakes(meta), 'FWK403');
    if (definition) report(driftMistakes(definition, url.params, meta.body === 'stream'), 'FWK404');
    if (definition) report(unsendableMistakes(definition), 'FWK419');
    if (url.method && url.method !== method) {
      report([disagreement(file, url.method, method, meta.sse ? 'sse' : wrapperName(method))], 'FWK102');
    }
    report(unservedExports(module, endpoint), 'FWK121');
    const described = definition ? { definition: async () => definition } : {};
    const route = labelled(
      httpRoute({ kind: name, file, path: url.path, ...facts, ...described, handler, ...errorFormat }),
    );
    if (isRight && isRecorded) checked.set(module, { endpoint, route, facts });
    return route;
  }

  /** Cached as long as no files are added or removed. */
  function urlOf(entry: Entry): FilePath | PathError {
    const known = urls.get(entry);
    if (known) return known;
    const url = routeUrl(entry.file);
    urls.set(entry, url);
    return url;
  }

  function routeUrl(file: string): FilePath | PathError {
    return paths.read(file.slice(directory.length + 1));
  }
}

function factsIn(definition: AnyDefinition): Pick<RouteFacts, 'checks' | 'tool'> {
  const tool = toolOf(definition);
  return { checks: checkedParts(definition), ...(tool ? { tool } : {}) };
}

/** A route without mistakes, and its recorded metadata. It is not checked again until it is edited. */
interface CheckedRoute {
  readonly endpoint: object;
  readonly route: HttpRoute;
  readonly facts: RouteFacts;
}

/** The files of one version, and their routes without mistakes: looking up the module of every file would take longer. */
interface CheckedFiles {
  readonly entries: readonly Entry[];
  readonly routes: (CheckedRoute | undefined)[];
}

/** @param wrapper the wrapper that made the endpoint; for `sse()` its name isn't the name of the method */
function disagreement(file: string, named: Method, exported: Method, wrapper: string): string {
  const name = file.slice(file.lastIndexOf('/') + 1);
  const renamed = name.replace(/[^.]+(\.m?[jt]sx?)$/, `${wrapperName(exported)}$1`);
  return `is named for ${named} but exports ${wrapper}(). Rename it to ${renamed} or wrap the handler in ${wrapperName(named)}().`;
}

/** Exports that look like further routes of a module: `POST`, or an endpoint of another method. Only the default export is served. */
function unservedExports(module: Namespace, { method }: Pick<Endpoint, 'method'>): string[] {
  return Object.entries(module).flatMap(([name, value]) => {
    if (name === 'default' || value === module.default) return [];
    const other = isEndpoint(value)
      ? value.method
      : typeof value === 'function' && METHODS_IN_CAPITALS.has(name)
        ? name
        : method;
    return other === method && name !== method
      ? []
      : [
          `exports ${name}, which fwk does not serve: a file has one route, its default export. Move ${name} to a file of its own.`,
        ];
  });
}

const METHODS_IN_CAPITALS: ReadonlySet<string> = new Set(Object.values(METHOD_OF_SUFFIX));

/** The keys of `.meta()` that the framework reads. */
const META = {
  bodyLimit: option.integer(0, { unit: 'bytes' }),
  body: option.optional('"stream"', (value) => value === 'stream'),
  checkResponse: option.boolean(true),
  timeout: option.custom(
    0,
    `a whole number of milliseconds, from 0 to ${MAX_MS}`,
    (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_MS,
  ),
};

const metaMistakes = (meta: RouteMeta): string[] =>
  wrongMembers(meta, META).map(
    ({ key, given, expected }) => `has .meta({ ${key}: ${given} }). Make it ${expected}, or leave it out.`,
  );

/** Wrappers of other conventions, recognized by the names of their brands, because this plugin doesn't import them. */
const OTHER_WRAPPERS = [
  { brand: brand('fwkit.socket'), wrapper: 'ws()', directory: 'ws/' },
  { brand: brand('fwkit.provider'), wrapper: 'service() or di()', directory: 'services/ or di/' },
  { brand: brand('fwkit.middleware'), wrapper: 'middleware()', directory: 'middlewares/' },
  { brand: brand('fwkit.mcp.tool'), wrapper: 'tool()', directory: 'mcp/tools/' },
  { brand: brand('fwkit.mcp.resource'), wrapper: 'resource()', directory: 'mcp/resources/' },
  { brand: brand('fwkit.mcp.prompt'), wrapper: 'prompt()', directory: 'mcp/prompts/' },
] as const;

/** The problem with a default export that is wrapped for another directory; undefined for any other. */
function misplaced(exported: unknown): string | undefined {
  const found = isEndpoint(exported)
    ? { wrapper: `${wrapperName(exported.method)}()`, directory: 'api/ or web/' }
    : OTHER_WRAPPERS.find(({ brand }) => brand.has(exported));
  return (
    found &&
    `exports ${found.wrapper}, which is for files in ${found.directory}. Move the file there, or use a wrapper that this directory supports.`
  );
}
