import { BootError, isThenable, type Project } from '../../kernel/index.js';
import { logSafely } from '../http/index.js';
import { Dependencies } from './dependencies.js';
import { FactoryCtx } from './factory-ctx.js';
import type { Lifetime, SingletonTools } from './provider.js';
import { SharedResources } from './shared-resources.js';
import { type Home, replaceServices, Slot, type Source } from './slot.js';

/** Thrown into a factory that reads a value which is still being made: the factory runs again when it is there. */
class NotYet extends Error {}

/** Thrown into a factory that reads a value which cannot be made; the reason has been reported. */
class Unavailable extends Error {}

/**
 * The singletons of one version, each made once, in the order in which they read one another. Those of `previous`
 * are kept where neither their provider nor anything that they read has changed. A factory gets values, never promises:
 * one that reads a value which another is still awaiting runs again later, from its beginning.
 */
export class Singletons implements Home {
  readonly #project: Project;
  readonly #slots: ReadonlyMap<string, Slot>;
  readonly #unavailable: ReadonlySet<string>;
  /** Keys that no singleton may read, and why. */
  readonly #forbidden: ReadonlyMap<string, Lifetime>;
  readonly #reads: Dependencies;
  /** In the order in which they were made, by this version or one before. */
  readonly #made: Slot[];
  /** The singletons of the version that serves until this one starts. */
  #previous: readonly Slot[];
  readonly #resources: SharedResources;
  readonly #Ctx: typeof FactoryCtx;

  constructor(
    sources: readonly Source[],
    unavailable: ReadonlySet<string>,
    project: Project,
    previous?: Singletons,
  ) {
    this.#project = project;
    this.#unavailable = unavailable;
    const isSingleton = ({ provider }: Source) => provider.lifetime === 'singleton';
    const own = sources.filter(isSingleton);
    this.#forbidden = new Map(
      sources.filter((source) => !isSingleton(source)).map(({ key, provider }) => [key, provider.lifetime]),
    );
    const kept = previous?.unchanged(own) ?? new Set();
    const known = previous ? previous.#slots : new Map<string, Slot>();
    const slotOf = (source: Source): Slot =>
      (kept.has(source.key) && known.get(source.key)) || new Slot(source, this);
    this.#slots = new Map(own.map((source) => [source.key, slotOf(source)]));
    this.#made = previous ? previous.#made.filter(({ key }) => kept.has(key)) : [];
    for (const slot of this.#made) slot.hold();
    this.#previous = previous ? [...previous.#made] : [];
    this.#reads = previous ? previous.#reads.of(kept) : new Dependencies();
    this.#resources = previous ? previous.#resources : new SharedResources();
    this.#Ctx = previous ? previous.#Ctx : class extends FactoryCtx {};
    for (const key of [...sources.map(({ key }) => key), ...unavailable]) FactoryCtx.provide(this.#Ctx, key);
  }

  /** Keys of those of `sources` whose values need not be recreated. */
  unchanged(sources: readonly Source[]): ReadonlySet<string> {
    const isSame = ({ key, provider }: Source): boolean => {
      const slot = this.#slots.get(key);
      return slot?.state === 'ready' && slot.provider === provider;
    };
    // A factory that reads a value which is recreated has to run again, and so on.
    return this.#reads.closed(sources.filter(isSame).map(({ key }) => key));
  }

  /** Make them all. What fails is reported to the project. */
  async make(): Promise<ReadonlyMap<string, unknown>> {
    const slots = [...this.#slots.values()];
    // Those that say they are asynchronous start first, so that few others have to run twice.
    for (const slot of slots.toSorted((a, b) => Number(isAsync(b)) - Number(isAsync(a))))
      if (slot.state === 'new') this.#attempt(slot);
    for (const slot of slots) while (slot.state === 'making') await slot.made;
    return new Map(slots.map(({ key, value }) => [key, value]));
  }

  /** Serve from now on. Throws a BootError when a service cannot start; then those of the version before go on. */
  async start(): Promise<void> {
    const replaced = this.#previous.filter((slot) => !this.#made.includes(slot));
    const own = this.#made.filter((slot) => !this.#previous.includes(slot));
    this.#previous = [];
    const broken = ({ file }: Slot, thrown: unknown) =>
      this.#project.reportThrown(file, 'fails to begin', thrown);
    if (!(await replaceServices(replaced, own, broken))) throw new BootError(this.#project.problems);
    for (const slot of this.#made) slot.home = this;
  }

  /** Release all of them, last made first. A failure is logged and does not stop the others. */
  async end(): Promise<void> {
    for (let last = this.#made.pop(); last; last = this.#made.pop()) await last.release();
  }

  failed({ file }: Slot, what: string, thrown: unknown): void {
    logSafely(this.#project.logger, 'error', `${what} of ${this.#project.display(file)} failed:`, thrown);
  }

  /** Read a value for a factory, through its ctx: while it runs, or later. */
  read(reader: Slot, key: string): unknown {
    const lifetime = this.#forbidden.get(key);
    if (lifetime) this.#refuseRead(reader, key, lifetime);
    if (this.#unavailable.has(key)) throw new Unavailable();
    const slot = this.#slots.get(key);
    if (!slot) return undefined;
    this.#reads.add(reader.key, key);
    if (slot.state === 'ready') return slot.value;
    if (slot.state === 'making') {
      const cycle = this.#reads.cycle(reader.key, key);
      if (cycle) this.#refuseCycle(cycle);
    }
    if (slot.state === 'new') this.#attempt(slot);
    if (isReady(slot)) return slot.value;
    if (slot.state === 'broken') throw new Unavailable();
    reader.waitsFor = slot;
    throw new NotYet(`ctx.${key} is not made yet: the factory runs again when it is`);
  }

  #attempt(slot: Slot): void {
    slot.state = 'making';
    slot.waitsFor = undefined;
    slot.made = DONE;
    try {
      const value = slot.provider.make(new this.#Ctx(slot, this.#project.logger), this.#toolsOf(slot));
      if (!isThenable(value)) return this.#settle(slot, value);
      const done = this.#project.wait(slot.file, 'waits for its value');
      slot.made = Promise.resolve(value)
        .finally(done)
        .then(
          (awaited) => this.#settle(slot, awaited),
          (thrown) => this.#fail(slot, thrown),
        );
    } catch (thrown) {
      this.#fail(slot, thrown);
    }
  }

  #toolsOf(slot: Slot): SingletonTools {
    return {
      onDestroy: (close) => slot.onDestroy(close),
      onStart: (begin) => slot.onStart(begin),
      keep: (name, make, destroy) => {
        const failed = (thrown: unknown) => slot.home.failed(slot, `keep("${name}")`, thrown);
        const { value, release } = this.#resources.hold(`${slot.key} ${name}`, make, destroy, failed);
        slot.onDestroy(release);
        return value;
      },
    };
  }

  #settle(slot: Slot, value: unknown): void {
    // A factory that swallowed NotYet made its value without what it asked for.
    if (slot.waitsFor) return this.#fail(slot, new NotYet());
    slot.value = value;
    slot.state = 'ready';
    this.#made.push(slot);
  }

  #fail(slot: Slot, thrown: unknown): void {
    const { waitsFor } = slot;
    if (thrown instanceof NotYet && waitsFor) {
      // Never synchronously: the attempt sets `made` itself, which this assignment must not undo.
      slot.made = DONE.then(async () => {
        await slot.undo();
        while (waitsFor.state === 'making') await waitsFor.made;
        this.#attempt(slot);
      });
      return;
    }
    slot.state = 'broken';
    this.#made.push(slot);
    if (thrown instanceof Unavailable) return;
    // An error of a plugin is shown at its line in the plugin, which need not name the key.
    const what = slot.file.startsWith('plugin "') ? `ctx.${slot.key}` : 'its value';
    this.#project.reportThrown(slot.file, `fails to make ${what}`, thrown);
  }

  #refuseCycle(cycle: readonly string[]): never {
    const first = this.#slots.get(cycle[0] ?? '');
    const path = cycle.join(' → ');
    if (first)
      this.#project.report(first.file, `is in a cycle of services: ${path}. Take one of these reads out.`);
    throw new Unavailable();
  }

  #refuseRead(reader: Slot, key: string, lifetime: Lifetime): never {
    const life = lifetime === 'session' ? 'visitor' : 'request';
    const message = `is a singleton and reads ctx.${key}, which lives for one ${life}. Pass it in where it is used.`;
    if (reader.state === 'ready') throw new Error(`${this.#project.display(reader.file)} ${message}`);
    this.#project.report(reader.file, message);
    throw new Unavailable();
  }
}

const DONE = Promise.resolve();
const isAsync = ({ provider }: Source): boolean => provider.make.constructor.name === 'AsyncFunction';
/** A function, because reading a slot changes its state behind the back of the type checker. */
const isReady = ({ state }: Slot): boolean => state === 'ready';
