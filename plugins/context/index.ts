import {
  BootError,
  definePlugin,
  type Entry,
  type Logger,
  type Plugin,
  type Project,
  type RuntimeCtx,
} from '../../kernel/index.js';
import { keyOf } from './key.js';
import { constant, logging, provide } from './property.js';
import { isProvider, type Provider } from './provider.js';
import { requestScopes } from './request-scopes.js';
import { Singletons } from './singletons.js';
import type { Source } from './slot.js';

export { FleetingSession } from './fleeting-session.js';
export {
  type Assigned,
  di,
  type Lifetime,
  type OnDestroy,
  type Provided,
  type ProvidedToSingleton,
  type Provider,
  type RequestTools,
  type SessionTools,
  type SingletonCtx,
  type SingletonTools,
  service,
} from './provider.js';
export { attachSession, Guest, type Session, sessionOf } from './session.js';
export { settledWithin } from './settled-within.js';
export { type Storable, textOf } from './storable.js';

/** The files that provide session values, per project that has any. */
const sessionFiles = new WeakMap<Project, readonly string[]>();

/** The singletons of a version, which the next may keep. */
const singletonsOf = new WeakMap<Project, Singletons>();

/** The files of a project's session values, relative to its source directory; known once `context` has resolved. */
export const sessionValues = (project: Project): readonly string[] => sessionFiles.get(project) ?? [];

/** Files in `services/` and `di/` become the properties of `ctx`. */
export function context(): Plugin {
  return definePlugin({
    name: 'context',
    apply(hooks) {
      hooks.discover.tap('context', (claims) => {
        claims.add('service', 'services/**');
        claims.add('di', 'di/**');
      });

      hooks.resolve.tapPromise('context', async (routes, project) => {
        await inject(project);
        return routes;
      });

      hooks.serve.tapPromise('context', async ({ project, onStart }) => {
        const singletons = singletonsOf.get(project);
        if (singletons) onStart(() => singletons.start());
      });

      hooks.generate.tapPromise('context', async (generation) => {
        const { target, project, contribute } = generation;
        if (target === 'types') return contribute(ctxTypes(filesOf(project), project));
        const { starter, guidance } = await import('./guide.js');
        if (target === 'scaffold') starter(generation);
        if (target === 'skills') contribute(guidance(generation));
      });
    },
  });
}

const filesOf = (project: Project): readonly Entry[] => [...project.of('service'), ...project.of('di')];

/** Make the singletons and set where the project's `ctx` comes from. */
async function inject(project: Project): Promise<void> {
  const files = filesOf(project);
  if (files.length === 0) return;
  const sources: Source[] = [];
  const unavailable = new Set<string>();
  const fileOf = new Map<string, string>();
  await Promise.all(
    files.map(async (entry) => {
      const { file } = entry;
      const key = keyOf(file);
      const first = key === 'logger' ? 'the framework itself' : fileOf.get(key);
      if (first !== undefined)
        project.report(file, `provides ctx.${key}, which ${first} provides too. Rename one of them.`);
      fileOf.set(key, project.display(file));
      const provider = await providerOf(entry, key, project);
      if (first !== undefined) return;
      if (provider) sources.push({ key, file, provider });
      else unavailable.add(key);
    }),
  );
  for (const key of project.overrides.keys())
    if (!fileOf.has(key))
      throw new BootError({
        message: `overrides has "${key}", but no file provides ctx.${key}. Remove or rename it.`,
      });
  sources.sort((a, b) => (a.key < b.key ? -1 : 1));

  if (project.purpose === 'build') return;

  const previous = project.previous && singletonsOf.get(project.previous);
  const singletons = new Singletons(sources, unavailable, project, previous);
  singletonsOf.set(project, singletons);
  project.onClose(() => singletons.end());
  const values = await singletons.make();
  const perVisitor = sources.filter(({ provider }) => provider.lifetime === 'session');
  if (perVisitor.length > 0)
    sessionFiles.set(
      project,
      perVisitor.map(({ file }) => file),
    );
  // Their messages are for people.
  const shown = sources.map((source) => ({ ...source, file: project.display(source.file) }));
  if (sources.every(({ provider }) => provider.lifetime === 'singleton')) {
    const shared = sharedCtx(values, shown, project.logger);
    project.scopes = { shared, outside: shared, open: () => ({ ctx: shared, close: async () => {} }) };
    return;
  }
  const scopes = requestScopes(values, shown, project.logger);
  // Before the singletons end: what closes may need them.
  project.onClose(scopes.ended);
  project.scopes = scopes;
}

/** The one `ctx` of a project where nothing lives for a request. */
function sharedCtx(
  values: ReadonlyMap<string, unknown>,
  sources: readonly Source[],
  logger: Logger,
): RuntimeCtx {
  const shared = {};
  provide(shared, 'logger', logging(logger));
  for (const source of sources) provide(shared, source.key, constant(values.get(source.key), source));
  return Object.freeze(shared) as RuntimeCtx;
}

/** What a file provides, or what a test puts in its place; undefined after reporting why there is nothing. */
async function providerOf(entry: Entry, key: string, project: Project): Promise<Provider | undefined> {
  if (project.overrides.has(key)) return { lifetime: 'singleton', make: () => project.overrides.get(key) };
  const module = await project.load(entry);
  if (isProvider(module?.default)) return module.default;
  if (module) project.report(entry.file, 'is no provider. Export default service(…) or di(…).');
  return undefined;
}

/** One property per file, in what handlers get and in what singletons get. */
function ctxTypes(files: readonly Entry[], project: Project): string {
  const types = new Map(
    files.map(({ file }) => [keyOf(file), `(typeof import(${specifier(file, project)}))['default']`]),
  );
  if (types.size === 0) return '';
  const members = (member: (key: string, type: string) => string) =>
    [...types]
      .sort()
      .map(([key, type]) => `    ${member(property(key), type)}\n`)
      .join('');
  // Which values can be assigned is known from their types alone, so each has a setter; most of them take nothing.
  const provided = members(
    (key, type) => `get ${key}(): Provided<${type}>; set ${key}(value: Assigned<${type}>);`,
  );
  const toSingletons = members((key, type) => `readonly ${key}: ProvidedToSingleton<${type}>;`);
  return `  interface RuntimeCtx {\n${provided}  }\n  interface SingletonCtx {\n${toSingletons}  }\n`;
}

const property = (key: string): string => (/^[\p{L}$]/u.test(key) ? key : JSON.stringify(key));

/** How `.fwk/types.d.ts` imports a project file: by the name that it will have when compiled. */
function specifier(file: string, project: Project): string {
  return JSON.stringify(`../${project.display(file).replace(/\.(m?)ts$/, '.$1js')}`);
}
