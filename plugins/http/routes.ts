import { isDeepStrictEqual } from 'node:util';
import { definePlugin, type Entry, type Generation, type Plugin, type Project } from '../../kernel/index.js';
import { type Endpoint, isEndpoint } from './endpoint.js';
import { metaMistakes } from './meta.js';
import { METHOD_OF_SUFFIX, type Method, wrapperName } from './methods.js';
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
  /** What its modules export. Default: what the method wrappers make. */
  readonly convention?: Convention;
}

/** What the modules of a directory export, and what is said of it. */
export interface Convention {
  /** The first word of its routes in `fwk routes`; without one, their method. */
  readonly verb?: string;
  /** What file names may end in, and the method that it stands for. */
  readonly suffixes: Readonly<Record<string, Method>>;
  /** The endpoint that a default export stands for; undefined where it stands for none. */
  endpointOf(
    exported: unknown,
    project: Project,
  ): Pick<Endpoint, 'method' | 'handler' | 'metadata'> | undefined;
  /** Told of a module without a default export, and of one whose default export stands for no endpoint. */
  readonly missing: string;
  readonly unwrapped: string;
}

const METHODS: Convention = {
  suffixes: METHOD_OF_SUFFIX,
  endpointOf: (exported) => (isEndpoint(exported) ? exported : undefined),
  missing: 'has no default export. Export a handler wrapped in get(), post() or another method.',
  unwrapped: 'has a default export that is not wrapped. Wrap the handler in get(), post() or another method.',
};

/** A plugin that answers HTTP from every file under `directory`, below `mount`. */
export function httpRoutes(options: HttpRoutesOptions): Plugin {
  const { name, directory, mount, describe, convention = METHODS } = options;
  const paths = new PathReader(mount, convention.suffixes);
  const labelled = (route: HttpRoute): HttpRoute =>
    convention.verb === undefined ? route : { ...route, label: `${convention.verb} ${route.path}` };
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
    const { file } = entry;
    const url = urlOf(file);
    if (url instanceof PathError) project.report(file, url.message);
    const facts = project.factsOf(entry);
    if (isFacts(facts) && !(url instanceof PathError))
      return labelled(
        httpRoute({
          kind: name,
          file,
          path: url.path,
          ...facts,
          handler: lazily(entry, project, convention),
        }),
      );

    const module = await project.load(entry);
    if (!module || url instanceof PathError) return undefined;
    const endpoint = convention.endpointOf(module.default, project);
    if (!endpoint) {
      project.report(file, module.default === undefined ? convention.missing : convention.unwrapped);
      return undefined;
    }
    const { method, handler, metadata: meta } = endpoint;
    for (const mistake of metaMistakes(meta)) project.report(file, mistake);
    if (url.method && url.method !== method) project.report(file, disagreement(file, url.method, method));
    if (isDeepStrictEqual(meta, JSON.parse(JSON.stringify(meta)))) project.record(entry, { method, meta });
    return labelled(httpRoute({ kind: name, file, method, path: url.path, meta, handler }));
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

/** What a build records of a route's module. */
type Facts = Pick<HttpRoute, 'method' | 'meta'>;

const isFacts = (facts: unknown): facts is Facts =>
  typeof facts === 'object' && facts !== null && 'method' in facts;

/** The handler of a module that is imported by the first request for it; a build has checked it. */
function lazily(entry: Entry, project: Project, convention: Convention): Handler {
  let handler: Handler | undefined;
  return (req, res, ctx) => {
    if (handler) return handler(req, res, ctx);
    return project.import(entry).then((module) => {
      const endpoint = convention.endpointOf(module.default, project);
      if (!endpoint) throw new Error(`${entry.file} no longer exports an endpoint`);
      handler = endpoint.handler;
      return handler(req, res, ctx);
    });
  };
}

function disagreement(file: string, named: Method, exported: Method): string {
  const wrapper = wrapperName(exported);
  const name = file.slice(file.lastIndexOf('/') + 1);
  const renamed = name.replace(/[^.]+(\.m?[jt]s)$/, `${wrapper}$1`);
  return `is named for ${named} but exports ${wrapper}(). Rename it to ${renamed} or wrap the handler in ${wrapperName(named)}().`;
}
