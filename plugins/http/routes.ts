import { isDeepStrictEqual } from 'node:util';
import {
  definePlugin,
  type Entry,
  type Generation,
  type Plugin,
  type Project,
  type Trial,
} from '../../kernel/index.js';
import { type Endpoint, isEndpoint } from './endpoint.js';
import { metaMistakes } from './meta.js';
import { type Method, wrapperName } from './methods.js';
import { type FilePath, PathError, PathReader } from './path.js';
import { type Handler, type HttpRoute, httpRoute } from './route.js';

export interface HttpRoutesOptions {
  /** Name of the plugin, and kind of its files. */
  readonly name: string;
  /** Convention directory, below the source directory. */
  readonly directory: string;
  /** Path that its routes begin with: `/api`, or '' for the root. */
  readonly mount: string;
  /** Its starter file for the target `scaffold`, and its guidance for `skills`. Called for every target but `types`. */
  readonly describe?: (generation: Generation) => Promise<void>;
}

/** A plugin that answers HTTP from every file under `directory`, below `mount`. */
export function httpRoutes({ name, directory, mount, describe }: HttpRoutesOptions): Plugin {
  const paths = new PathReader(mount);
  return definePlugin({
    name,
    needs: ['http'],
    apply(hooks) {
      hooks.discover.tap(name, (claims) => claims.add(name, `${directory}/**`));

      hooks.resolve.tapPromise(name, async (routes, project) => {
        const own = await Promise.all(project.of(name).map((entry) => toRoute(entry, project)));
        return [...routes, ...own.filter((route) => route !== undefined)];
      });

      hooks.generate.tapPromise(name, async (generation) => {
        const { target, project, contribute } = generation;
        if (target === 'types') contribute(routeTypes(project.of(name)));
        else await describe?.(generation);
      });
    },
  });

  async function toRoute(entry: Entry, project: Project): Promise<HttpRoute | undefined> {
    const url = urlOf(entry.file);
    if (url instanceof PathError) {
      project.report(entry.file, url.message);
      await project.load(entry);
      return undefined;
    }
    const facts = project.factsOf(entry);
    if (!isFacts(facts)) return importRoute(entry, url, project);
    project.record(entry, facts);
    const route = httpRoute({
      kind: name,
      file: entry.file,
      path: url.path,
      ...facts,
      handler: lazily(entry, project),
    });
    return project.previous ? onTrial(route, () => importRoute(entry, url, project), project.trial) : route;
  }

  /** The route of a file, all of it checked. What is wrong is reported. */
  async function importRoute(entry: Entry, url: FilePath, project: Project): Promise<HttpRoute | undefined> {
    const { file } = entry;
    const module = await project.load(entry);
    if (!module) return undefined;
    const endpoint = module.default;
    if (!isEndpoint(endpoint)) {
      project.report(file, endpoint === undefined ? NO_DEFAULT : NOT_WRAPPED);
      return undefined;
    }
    const { method, handler, metadata: meta } = endpoint;
    if (isDeepStrictEqual(meta, JSON.parse(JSON.stringify(meta)))) project.record(entry, { method, meta });
    const known = checked.get(endpoint);
    if (known?.file === file && known.kind === name && known.path === url.path) return known;

    const mistakes = metaMistakes(meta);
    if (url.method && url.method !== method) mistakes.push(disagreement(file, url.method, method));
    for (const mistake of mistakes) project.report(file, mistake);
    const route = httpRoute({ kind: name, file, method, path: url.path, meta, handler });
    if (mistakes.length === 0) checked.set(endpoint, route);
    return route;
  }

  /** One member of `Routes` per path. Files whose path is wrong are left to the boot check. */
  function routeTypes(entries: readonly Entry[]): string {
    const params = new Map<string, readonly string[]>();
    for (const { file } of entries) {
      const url = urlOf(file);
      if (!(url instanceof PathError)) params.set(url.path, url.params);
    }
    const members = [...params.keys()].sort().map((path) => {
      const types = params.get(path)?.map((param) => `${param}: string`) ?? [];
      return `    ${JSON.stringify(path)}: ${types.length === 0 ? '{}' : `{ ${types.join('; ')} }`};\n`;
    });
    return members.length === 0 ? '' : `  interface Routes {\n${members.join('')}  }\n`;
  }

  function urlOf(file: string): FilePath | PathError {
    try {
      return paths.read(file.slice(directory.length + 1));
    } catch (cause) {
      if (cause instanceof PathError) return cause;
      throw cause;
    }
  }
}

/** Routes without mistakes: what a reload has not evaluated anew is not checked anew. */
const checked = new WeakMap<Endpoint, HttpRoute>();

/** What a build records of a route's module. */
type Facts = Pick<HttpRoute, 'method' | 'meta'>;

const isFacts = (facts: unknown): facts is Facts =>
  typeof facts === 'object' && facts !== null && 'method' in facts;

/** The handler of a module that is imported by the first request for it; a build has checked it. */
function lazily(entry: Entry, project: Project): Handler {
  let handler: Handler | undefined;
  return (req, res, ctx) => {
    if (handler) return handler(req, res, ctx);
    return project.import(entry).then(({ default: endpoint }) => {
      if (!isEndpoint(endpoint)) throw new Error(`${entry.file} no longer exports an endpoint`);
      handler = endpoint.handler;
      return handler(req, res, ctx);
    });
  };
}

/** A route as it was in the generation before, which is imported by its first request, or by the trial. */
function onTrial(
  route: HttpRoute,
  importRoute: () => Promise<HttpRoute | undefined>,
  trial: Trial,
): HttpRoute {
  let imported: ReturnType<typeof importRoute> | undefined;
  let handler = route.handler;
  const isSame = async (): Promise<boolean | undefined> => {
    imported ??= importRoute();
    const now = await imported;
    if (!now) return undefined;
    handler = now.handler;
    return now.method === route.method && isDeepStrictEqual(now.meta, route.meta);
  };
  // What could not be imported has been reported.
  trial.add(async () => (await isSame()) !== false);
  const ready = async (): Promise<void> => {
    if (await isSame()) return;
    trial.hurry();
    throw new Error('the module is not what it was');
  };
  return { ...route, ready, handler: (req, res, ctx) => handler(req, res, ctx) };
}

const NO_DEFAULT = 'has no default export. Export a handler wrapped in get(), post() or another method.';
const NOT_WRAPPED =
  'has a default export that is not wrapped. Wrap the handler in get(), post() or another method.';

function disagreement(file: string, named: Method, exported: Method): string {
  const wrapper = wrapperName(exported);
  const name = file.slice(file.lastIndexOf('/') + 1);
  const renamed = name.replace(/[^.]+(\.m?[jt]s)$/, `${wrapper}$1`);
  return `is named for ${named} but exports ${wrapper}(). Rename it to ${renamed} or wrap the handler in ${wrapperName(named)}().`;
}
