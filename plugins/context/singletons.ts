import type { Logger, Project } from '../../kernel/index.js';
import { isThenable } from '../http/index.js';
import { Dependencies } from './dependencies.js';
import type { Lifetime, Provider } from './provider.js';

/** A provider with the property and the file that it comes from. */
export interface Source {
  readonly key: string;
  readonly file: string;
  readonly provider: Provider;
}

type State = 'new' | 'making' | 'ready' | 'broken';

interface Slot extends Source {
  state: State;
  value: unknown;
  /** Resolves when `making` is over, one way or the other. */
  made: Promise<void>;
  /** What the running attempt had to wait for. */
  waitsFor: Slot | undefined;
  closers: (() => unknown)[];
}

/** Thrown into a factory that reads a value which is still being made: the factory runs again when it is there. */
class NotYet extends Error {}

/** Thrown into a factory that reads what cannot be had; the reason has been reported. */
class Unavailable extends Error {}

/** The `ctx` that factories get: each knows whose it is, so that every read is known. */
class FactoryCtx {
  readonly logger: Logger;
  readonly #owner: Slot;

  constructor(owner: Slot, logger: Logger) {
    this.logger = logger;
    this.#owner = owner;
  }

  static owner(ctx: FactoryCtx): Slot {
    return ctx.#owner;
  }
}

/**
 * Makes every singleton, each once, in the order in which they read one another. A factory gets values, never
 * promises: one that reads a value which another factory is still awaiting runs again later, from its beginning.
 */
export class Singletons {
  readonly #project: Project;
  readonly #slots: readonly Slot[];
  readonly #reads = new Dependencies();
  readonly #closers: { file: string; close: () => unknown }[] = [];
  /** Its prototype has a getter per key. */
  readonly #Ctx = class extends FactoryCtx {};

  constructor(sources: readonly Source[], unavailable: ReadonlySet<string>, project: Project) {
    this.#project = project;
    this.#slots = sources
      .filter(({ provider }) => provider.lifetime === 'singleton')
      .map((source) => ({
        ...source,
        state: 'new',
        value: undefined,
        made: DONE,
        waitsFor: undefined,
        closers: [],
      }));
    for (const slot of this.#slots) this.#define(slot.key, (owner) => this.#read(owner, slot));
    for (const key of unavailable) this.#define(key, () => raise(new Unavailable()));
    for (const { key, provider } of sources)
      if (provider.lifetime !== 'singleton')
        this.#define(key, (owner) => this.#refuse(owner, key, provider.lifetime));
  }

  /** Make them all. What fails is reported to the project. */
  async make(): Promise<ReadonlyMap<string, unknown>> {
    // Those that say they are asynchronous start first, so that few others have to run twice.
    for (const slot of this.#slots.toSorted((a, b) => Number(isAsync(b)) - Number(isAsync(a))))
      if (slot.state === 'new') this.#attempt(slot);
    for (const slot of this.#slots) while (slot.state === 'making') await slot.made;
    return new Map(this.#slots.map(({ key, value }) => [key, value]));
  }

  /** Destroy in reverse order of making. A failure is logged and stops nothing. */
  async destroy(): Promise<void> {
    for (let last = this.#closers.pop(); last; last = this.#closers.pop()) {
      try {
        await last.close();
      } catch (thrown) {
        this.#project.logger.error(`onDestroy of ${this.#project.display(last.file)} failed:`, thrown);
      }
    }
  }

  #attempt(slot: Slot): void {
    slot.state = 'making';
    slot.waitsFor = undefined;
    slot.made = DONE;
    const tools = { onDestroy: (close: () => unknown) => void slot.closers.push(close), req: undefined };
    try {
      const value = slot.provider.make(new this.#Ctx(slot, this.#project.logger), tools);
      if (!isThenable(value)) return this.#settle(slot, value);
      slot.made = Promise.resolve(value).then(
        (awaited) => this.#settle(slot, awaited),
        (thrown) => this.#fail(slot, thrown),
      );
    } catch (thrown) {
      this.#fail(slot, thrown);
    }
  }

  #settle(slot: Slot, value: unknown): void {
    // A factory that swallowed NotYet made its value without what it asked for.
    if (slot.waitsFor) return this.#fail(slot, new NotYet());
    slot.value = value;
    slot.state = 'ready';
    this.#closers.push(...slot.closers.map((close) => ({ file: slot.file, close })));
  }

  #fail(slot: Slot, thrown: unknown): void {
    const undo = slot.closers.reverse();
    slot.closers = [];
    const { waitsFor } = slot;
    if (thrown instanceof NotYet && waitsFor) {
      // Never in the same turn: the attempt sets `made` itself, which this assignment must not undo.
      slot.made = DONE.then(async () => {
        for (const close of undo) await close();
        while (waitsFor.state === 'making') await waitsFor.made;
        this.#attempt(slot);
      });
      return;
    }
    slot.state = 'broken';
    this.#closers.push(...undo.map((close) => ({ file: slot.file, close })));
    if (!(thrown instanceof Unavailable))
      this.#project.reportThrown(slot.file, 'fails to make its value', thrown);
  }

  #read(owner: Slot, slot: Slot): unknown {
    if (slot.state === 'ready') return slot.value;
    this.#reads.add(owner.key, slot.key);
    if (slot.state === 'making') {
      const cycle = this.#reads.cycle(owner.key, slot.key);
      if (cycle) this.#refuseCycle(cycle);
    }
    if (slot.state === 'new') this.#attempt(slot);
    // Typed anew: the attempt has changed the state.
    const { state } = slot as { state: State };
    if (state === 'ready') return slot.value;
    if (state === 'broken') throw new Unavailable();
    owner.waitsFor = slot;
    throw new NotYet();
  }

  #refuseCycle(cycle: readonly string[]): never {
    const first = this.#slots.find(({ key }) => key === cycle[0]);
    const path = cycle.join(' → ');
    if (first)
      this.#project.report(first.file, `is in a cycle of services: ${path}. Take one of these reads out.`);
    throw new Unavailable();
  }

  #refuse(owner: Slot, key: string, lifetime: Lifetime): never {
    const life = lifetime === 'session' ? 'visitor' : 'request';
    const message = `is a singleton and reads ctx.${key}, which lives for one ${life}. Pass it in where it is used.`;
    if (owner.state === 'ready') throw new Error(`${this.#project.display(owner.file)} ${message}`);
    this.#project.report(owner.file, message);
    throw new Unavailable();
  }

  #define(key: string, read: (owner: Slot) => unknown): void {
    const get = function (this: FactoryCtx): unknown {
      return read(FactoryCtx.owner(this));
    };
    Object.defineProperty(this.#Ctx.prototype, key, { enumerable: true, get });
  }
}

const DONE = Promise.resolve();
const isAsync = ({ provider }: Source): boolean => provider.make.constructor.name === 'AsyncFunction';
const raise = (thrown: Error): never => {
  throw thrown;
};
