import { BootError, coded, isThenable, type Logger, type Project } from '../../kernel/index.js';
import type { Peers } from '../../peers/index.js';
import {
  type CtxLogger,
  loggerProperty,
  logSafely,
  type ProjectLogger,
  projectLogger,
} from '../../scope/index.js';
import { completeLogger, OWN_LOGGER } from './custom-logger.js';
import { Dependencies } from './dependencies.js';
import { provide, refuseAssignment } from './property.js';
import { LIVES_FOR, type ScopedLifetime } from './provider.js';
import { type Home, replaceServices, SingletonInstance, type Source } from './singleton-instance.js';
import { DeferredPeers, SharedResources, singletonTools } from './singleton-tools.js';

/**
 * The singletons of one version, each created once, in dependency order. A singleton of `previous`
 * is kept if neither its provider nor anything that it reads has changed. A factory gets values,
 * never promises: if it reads a value that is still pending, it runs again later, from its
 * beginning.
 */
export class Singletons implements Home {
  readonly logger: ProjectLogger;
  readonly #instances: ReadonlyMap<string, SingletonInstance>;
  /** Keys that no singleton may read, with the reason. */
  readonly #forbidden: ReadonlyMap<string, ScopedLifetime>;
  readonly #reads: Dependencies;
  /** In the order of creation, by this or an earlier version. */
  readonly #ready: SingletonInstance[];
  #previous: readonly SingletonInstance[];
  readonly #resources: SharedResources;
  readonly #peers: DeferredPeers;
  readonly #Ctx: typeof FactoryCtx;

  constructor(
    sources: readonly Source[],
    private readonly unavailable: ReadonlySet<string>,
    private readonly project: Project,
    previous?: Singletons,
  ) {
    this.logger = projectLogger(project);
    const own = sources.filter(({ provider }) => provider.lifetime === 'singleton');
    this.#forbidden = new Map(
      sources.flatMap(({ key, provider: { lifetime: life } }) => (life === 'singleton' ? [] : [[key, life]])),
    );
    const kept = previous?.unchanged(own) ?? new Set();
    const known = previous ? previous.#instances : new Map<string, SingletonInstance>();
    const instanceOf = (source: Source): SingletonInstance =>
      (kept.has(source.key) && known.get(source.key)) || new SingletonInstance(source, this);
    this.#instances = new Map(own.map((source) => [source.key, instanceOf(source)]));
    this.#ready = previous ? previous.#ready.filter(({ key }) => kept.has(key)) : [];
    for (const instance of this.#ready) instance.hold();
    this.#previous = previous ? [...previous.#ready] : [];
    this.#reads = previous ? previous.#reads.of(kept) : new Dependencies();
    this.#resources = previous ? previous.#resources : new SharedResources();
    this.#peers = previous ? previous.#peers : new DeferredPeers();
    this.#Ctx = previous ? previous.#Ctx : class extends FactoryCtx {};
    for (const key of [...sources.map(({ key }) => key), ...unavailable]) FactoryCtx.provide(this.#Ctx, key);
  }

  /** The keys in `sources` whose values need not be recreated. */
  unchanged(sources: readonly Source[]): ReadonlySet<string> {
    const isSame = ({ key, provider }: Source): boolean => {
      const instance = this.#instances.get(key);
      return instance?.state === 'ready' && instance.provider === provider;
    };
    // If a value is recreated, every factory that reads it has to run again, transitively.
    return this.#reads.closed(sources.filter(isSame).map(({ key }) => key));
  }

  readsOf(key: string): readonly string[] {
    return this.#reads.from(key);
  }

  async make(): Promise<ReadonlyMap<string, unknown>> {
    const instances = [...this.#instances.values()];
    const made = instances.filter(({ state }) => state === 'new');
    // Factories that are declared async start first, so that few others have to run twice.
    for (const instance of made.sort((a, b) => Number(isAsync(b)) - Number(isAsync(a))))
      if (instance.state === 'new') this.#attempt(instance);
    for (const instance of instances) while (instance.state === 'making') await instance.creation;
    return new Map(instances.map(({ key, value }) => [key, value]));
  }

  connect(peers: Peers): void {
    this.#peers.connect(peers);
  }

  /** Start serving. If a service cannot start, throws a BootError, and the previous services continue. */
  async start(): Promise<void> {
    const [made, previous] = [new Set(this.#ready), new Set(this.#previous)];
    const replaced = this.#previous.filter((instance) => !made.has(instance));
    const own = this.#ready.filter((instance) => !previous.has(instance));
    this.#previous = [];
    const broken = ({ file }: SingletonInstance, thrown: unknown) =>
      this.project.reportThrown(file, 'failed to start', thrown, 'FWK306');
    if (!(await replaceServices(replaced, own, broken))) throw new BootError(this.project.problems);
    for (const instance of this.#ready) instance.home = this;
  }

  /** Release all of them, last created first. A failure is logged, and the others are still released. */
  async end(): Promise<void> {
    for (let last = this.#ready.pop(); last; last = this.#ready.pop()) await last.release();
  }

  failed({ file }: SingletonInstance, what: string, thrown: unknown): void {
    logSafely(this.project.logger, 'error', `${what} of ${this.project.display(file)} failed`, thrown);
  }

  has(key: string): boolean {
    return this.#instances.has(key) || this.unavailable.has(key);
  }

  read(reader: SingletonInstance, key: string): unknown {
    const lifetime = this.#forbidden.get(key);
    if (lifetime) this.#refuseRead(reader, key, lifetime);
    if (this.unavailable.has(key)) throw new DependencyFailed();
    const instance = this.#instances.get(key);
    if (!instance) return undefined;
    this.#reads.add(reader.key, key);
    if (instance.state === 'ready') return instance.value;
    if (instance.state === 'making') {
      const cycle = this.#reads.cycle(reader.key, key);
      if (cycle) this.#refuseCycle(cycle);
    }
    if (instance.state === 'new') this.#attempt(instance);
    if (isReady(instance)) return instance.value;
    if (instance.state === 'broken') throw new DependencyFailed();
    reader.waitsFor = instance;
    throw new DependencyPending(`ctx.${key} does not exist yet: the factory runs again when it does`);
  }

  #attempt(instance: SingletonInstance): void {
    instance.attempted();
    try {
      const ctx = new this.#Ctx(instance);
      const value = instance.provider.make(ctx, singletonTools(instance, this.#resources, this.#peers));
      if (!isThenable(value)) return this.#settle(instance, value);
      const done = this.project.wait(instance.file, 'waits for its value');
      instance.creation = Promise.resolve(value)
        .finally(done)
        .then(
          (awaited) => this.#settle(instance, awaited),
          (thrown) => this.#fail(instance, thrown),
        );
    } catch (thrown) {
      this.#fail(instance, thrown);
    }
  }

  #settle(instance: SingletonInstance, value: unknown): void {
    // A factory that caught DependencyPending created its value without the value that it read.
    if (instance.waitsFor) return this.#fail(instance, new DependencyPending());
    instance.value = value;
    instance.state = 'ready';
    this.#ready.push(instance);
  }

  #fail(instance: SingletonInstance, thrown: unknown): void {
    const { waitsFor } = instance;
    if (thrown instanceof DependencyPending && waitsFor) {
      // Never synchronous: the attempt sets `made` itself, and this assignment must not overwrite it.
      instance.creation = DONE.then(async () => {
        await instance.undo();
        while (waitsFor.state === 'making') await waitsFor.creation;
        this.#attempt(instance);
      });
      return;
    }
    instance.state = 'broken';
    this.#ready.push(instance);
    if (thrown instanceof DependencyFailed) return;
    // An error of a plugin is shown at its line in the plugin, which need not name the key.
    const what = instance.file.startsWith('plugin "') ? `ctx.${instance.key}` : 'its value';
    this.project.reportThrown(instance.file, `failed to create ${what}`, thrown, 'FWK305');
  }

  #refuseCycle(cycle: readonly string[]): never {
    const first = this.#instances.get(cycle[0] ?? '');
    const message = `is in a cycle of services: ${cycle.join(' → ')}. Remove one of these reads.`;
    if (first) this.project.report(first.file, message, 'FWK303');
    throw new DependencyFailed();
  }

  #refuseRead(reader: SingletonInstance, key: string, lifetime: ScopedLifetime): never {
    const message = `is a singleton and reads ctx.${key}, which lives for one ${LIVES_FOR[lifetime]}. Pass it as an argument where it is used.`;
    if (reader.state === 'ready')
      throw coded('FWK304', new Error(`${this.project.display(reader.file)} ${message}`));
    this.project.report(reader.file, message, 'FWK304');
    throw new DependencyFailed();
  }
}

const DONE = Promise.resolve();

/** Thrown into a factory that reads a pending value: the factory runs again when the value exists. */
class DependencyPending extends Error {}

/** Thrown into a factory that reads a value that could not be created; the reason has been reported. */
class DependencyFailed extends Error {}

const isAsync = ({ provider }: Source): boolean => provider.make.constructor.name === 'AsyncFunction';

/** A function, because reading another value changes the state, which the type checker does not know. */
const isReady = ({ state }: SingletonInstance): boolean => state === 'ready';

/**
 * The `ctx` of singleton factories: each has an owner, so that every read is recorded. All versions
 * of a project share one subclass, which has a getter for every key that has ever existed, so that
 * a service that is kept can read keys that were added after it was created.
 */
class FactoryCtx {
  declare readonly logger: CtxLogger;
  readonly #owner: SingletonInstance;

  constructor(owner: SingletonInstance) {
    Object.preventExtensions(this);
    this.#owner = owner;
  }

  static {
    // A project's own logger is a value like any other. Its factory gets fwk's logger.
    const loggerOf = (ctx: FactoryCtx): Logger => {
      const owner = ctx.#owner;
      const { home, key } = owner;
      if (key === OWN_LOGGER) return home.logger.first;
      return home.has(OWN_LOGGER) ? completeLogger(home.read(owner, OWN_LOGGER)) : home.logger.current;
    };
    Object.defineProperty(FactoryCtx.prototype, 'logger', loggerProperty(loggerOf));
  }

  static provide(Ctx: typeof FactoryCtx, key: string): void {
    if (key === 'logger' || Object.hasOwn(Ctx.prototype, key)) return;
    provide<FactoryCtx>(Ctx.prototype, key, {
      get() {
        return this.#owner.home.read(this.#owner, key);
      },
      set() {
        refuseAssignment(key, 'a singleton lives longer than the values assigned in it');
      },
    });
  }
}
