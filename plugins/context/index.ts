import { type Health, type HealthStatus, healthOf } from '../../contributions/index.js';
import {
  BootError,
  definePlugin,
  type Entry,
  type Plugin,
  type Project,
  Stage,
  slotKey,
} from '../../kernel/index.js';
import { peersOf } from '../../peers/index.js';
import { ctxMembers, lightScopes, projectLogger, setScopes } from '../../scope/index.js';

import { ctxKeyOf, ctxTypes, NO_PROVIDER } from './ctx-types.js';
import { adoptLogger, OWN_LOGGER } from './custom-logger.js';
import { constantProperty, forScope } from './property.js';
import {
  type Provide,
  type ProviderInfo,
  type Provision,
  providersOf,
  setProviders,
  takeProvided,
} from './provide.js';
import { isProvider, type Provider, type SingletonTools } from './provider.js';
import { requestScopes } from './request-scopes.js';
import type { Source } from './singleton-instance.js';
import { Singletons } from './singletons.js';

export { ctxKeyOf } from './ctx-types.js';

export { inTime, settledWithin } from './promises.js';
export { type Provide, type ProviderInfo, provide, providersOf } from './provide.js';
export {
  type Assigned,
  di,
  type Provided,
  type ProvidedToSingleton,
  type Provider,
  type RequestTools,
  type ServiceOptions,
  type SessionTools,
  type SingletonCtx,
  type SingletonTools,
  service,
} from './provider.js';
export { guest, type Storable } from './session.js';

const STATE = slotKey<State>('context');

interface State {
  singletons?: Singletons;
  checks?: readonly HealthCheck[];
  /** The prototype of `ctx`, and the values in it. */
  members?: {
    readonly sources: readonly Source[];
    readonly values: ReadonlyMap<string, unknown>;
    readonly prototype: object;
  };
}

const stateOf = (project: Project): State => project.slot(STATE, () => ({}));

/** The files of session values, relative to the source directory; known after `context` has resolved. */
export const sessionFiles = (project: Project): readonly string[] =>
  providersOf(project)
    .filter(({ lifetime }) => lifetime === 'session')
    .map(({ file }) => file);

/** The keys of `ctx` that a singleton's factory has read so far; undefined for other values. */
export const readsOf = (project: Project, { key, lifetime }: ProviderInfo): readonly string[] | undefined =>
  lifetime === 'singleton' ? (stateOf(project).singletons?.readsOf(key) ?? []) : undefined;

/** Turns files in `services/` and `di/` into properties of `ctx`. */
export function context(): Plugin {
  return definePlugin({
    name: 'context',
    guide: () => import('./guide.js'),
    doctor: () => import('./doctor.js'),
    types: ctxTypes,
    apply(hooks) {
      hooks.discover.tap('context', (claims) => {
        claims.add('service', 'services/**');
        claims.add('di', 'di/**');
      });

      hooks.resolve.tapPromise('context', async (routes, project) => {
        await inject(project);
        return routes;
      });

      // Runs directly after the taps that connect the peers.
      hooks.serve.tapPromise(
        { name: 'context:peers', stage: Stage.connected },
        async ({ project, runtime }) => stateOf(project).singletons?.connect(peersOf(runtime)),
      );

      hooks.serve.tapPromise('context', async ({ project, runtime, onStart, onClose }) => {
        const { singletons, checks = [] } = stateOf(project);
        if (checks.length > 0) onClose(addHealthChecks(healthOf(runtime), checks));
        if (singletons) onStart(() => singletons.start());
      });
    },
  });
}

const filesOf = (project: Project): readonly Entry[] => [...project.files('service'), ...project.files('di')];

async function inject(project: Project): Promise<void> {
  const files = filesOf(project);
  const provided = takeProvided(project);
  if (files.length === 0 && provided.size === 0 && project.overrides.size === 0) return;
  const sources: Source[] = [];
  const unavailable = new Set<string>();
  const fileOf = new Map<string, string>();
  for (const [key, provision] of provided) {
    const file = `plugin "${provision.plugin}"`;
    fileOf.set(key, file);
    sources.push({ key, file, provider: replaced(key, project) ?? providerFor(provision) });
  }
  // A reload only awaits the files that it evaluates again.
  const found = files.map((entry) => knownProvider(entry, project) ?? providerOf(entry, project));
  for (const [at, { file }] of files.entries()) {
    const key = ctxKeyOf(file);
    const first = fileOf.get(key);
    if (first !== undefined)
      project.report(
        file,
        `provides ctx.${key}, which ${first} also provides. Rename one of them.`,
        'FWK302',
      );
    fileOf.set(key, project.display(file));
    const result = found[at];
    const provider = result instanceof Promise ? await result : result;
    if (first !== undefined) continue;
    if (provider) sources.push({ key, file, provider });
    else unavailable.add(key);
  }
  for (const key of project.overrides.keys())
    if (!fileOf.has(key))
      throw new BootError({
        message: `overrides has "${key}", but nothing provides ctx.${key}. Remove or rename it.`,
        code: 'FWK307',
      });
  sources.sort((a, b) => (a.key < b.key ? -1 : 1));
  setProviders(
    project,
    sources.map(({ key, file, provider: { lifetime, health } }) => ({
      key,
      file,
      lifetime,
      ...(health ? { hasHealth: true } : {}),
    })),
  );

  if (project.run.purpose === 'build') return;

  const previous = project.previous && stateOf(project.previous).singletons;
  const singletons = new Singletons(sources, unavailable, project, previous);
  stateOf(project).singletons = singletons;
  project.onClose(() => singletons.end());
  const values = await singletons.make();
  if (values.has(OWN_LOGGER)) adoptLogger(values.get(OWN_LOGGER), sources, project);
  stateOf(project).checks = healthChecks(sources, values);
  // Their messages are for people.
  const shown = (some: readonly Source[]) =>
    some
      .filter(({ key }) => key !== OWN_LOGGER)
      .map((source) => ({ ...source, file: project.display(source.file) }));
  if (sources.every(({ provider }) => provider.lifetime === 'singleton')) {
    const before = project.previous && stateOf(project.previous).members;
    const isSame = ({ key, provider }: Source, at: number): boolean =>
      before?.sources[at]?.key === key &&
      before.sources[at].provider === provider &&
      before.values.get(key) === values.get(key);
    const isKept = before?.sources.length === sources.length && sources.every(isSame);
    const isScoped = ({ key, file }: Source): boolean => forScope(values.get(key), file) !== undefined;
    const properties = (some: readonly Source[], originOf: (ctx: object) => unknown) =>
      Object.fromEntries(
        some.map((source) => [source.key, constantProperty(values.get(source.key), source, originOf)]),
      );
    const scoped = shown(sources.filter(isScoped));
    const others = () => shown(sources.filter((source) => !isScoped(source)));
    const prototype = isKept ? before.prototype : ctxMembers(properties(others(), () => undefined));
    stateOf(project).members = { sources, values, prototype };
    setScopes(
      project,
      lightScopes(projectLogger(project), prototype, (originOf) => properties(scoped, originOf)),
    );
    return;
  }
  const scopes = requestScopes(values, shown(sources), projectLogger(project));
  // Registered so that it runs before the singletons end: callbacks at the end of a scope may need them.
  project.onClose(scopes.ended);
  setScopes(project, scopes);
}

/** The replacement of a value in a test. */
const replaced = (key: string, project: Project): Provider | undefined =>
  project.overrides.has(key) ? { lifetime: 'singleton', make: () => project.overrides.get(key) } : undefined;

/** The provider for a plugin's value. A function keeps its provider, so that a reload keeps the value. */
function providerFor({ make }: Provision): Provider {
  if (isProvider(make)) return make;
  const provider = provisions.get(make) ?? {
    lifetime: 'singleton',
    make: (_ctx, tools) => make(tools as SingletonTools),
  };
  provisions.set(make, provider);
  return provider;
}

const provisions = new WeakMap<Provide, Provider>();

function knownProvider(entry: Entry, project: Project): Provider | undefined {
  const override = replaced(ctxKeyOf(entry.file), project);
  if (override) return override;
  const exported = project.loaded(entry)?.default;
  return isProvider(exported) ? exported : undefined;
}

async function providerOf(entry: Entry, project: Project): Promise<Provider | undefined> {
  const module = await project.load(entry);
  if (isProvider(module?.default)) return module.default;
  if (module) project.report(entry.file, NO_PROVIDER, 'FWK301');
  return undefined;
}

interface HealthCheck {
  readonly key: string;
  readonly check: () => Promise<HealthStatus>;
}

function healthChecks(
  sources: readonly Source[],
  values: ReadonlyMap<string, unknown>,
): readonly HealthCheck[] {
  return sources.flatMap(({ key, provider: { health } }) =>
    health ? [{ key, check: once(async () => health(values.get(key)), key) }] : [],
  );
}

function addHealthChecks(health: Pick<Health, 'add'>, checks: readonly HealthCheck[]): () => void {
  const removals = checks.map(({ key, check }) => health.add(key, check));
  return () => {
    for (const remove of removals) remove();
  };
}

/** Run one check at a time: otherwise each probe would start another run of a check that hangs. */
function once(isWell: () => Promise<boolean>, key: string): () => Promise<HealthStatus> {
  let running: Promise<HealthStatus> | undefined;
  return () => {
    running ??= isWell()
      .then((ok) =>
        ok === true ? { ok } : { ok: false, detail: `the health check of ctx.${key} returned ${String(ok)}` },
      )
      .finally(() => {
        running = undefined;
      });
    return running;
  };
}
