import { type Facts, fileOf, type Graph, idOf, partialFacts, type UnitId, unitOf } from '../graph/index.js';
import { finds, isEnding, type Kept, nameOf, type SessionValues } from './session-values.js';
import { importedUnits, type Slice, sliceOf } from './slice.js';
import { Handler } from './until.js';

/** The place of `next` in the parameters of a middleware. */
const NEXT = 3;

/** Finds what of a unit decides what it writes to a session value: what comes after does not. */
export class SessionWrites {
  readonly #slices = new Map<string, Slice | undefined>();
  readonly #handlers = new Map<string, Handler | undefined>();

  constructor(
    private readonly graph: Graph,
    readonly values: SessionValues,
  ) {}

  /** Undefined where all of the unit may. */
  writing(id: UnitId, kept: Kept): Slice | undefined {
    return this.#remembered(`${id} ${nameOf(kept)}`, () => this.#writing(id, kept));
  }

  /** Of a middleware, what decides whether it goes on. */
  goingOn(id: UnitId): Slice | undefined {
    return this.#remembered(id, () => {
      const handler = this.#handlerOf(id);
      return handler && this.#sliceOf(id, handler.until(handler.untilParameter(NEXT), NEXT));
    });
  }

  #remembered(name: string, find: () => Slice | undefined): Slice | undefined {
    if (!this.#slices.has(name)) this.#slices.set(name, find());
    return this.#slices.get(name);
  }

  #writing(id: UnitId, kept: Kept): Slice | undefined {
    const handler = this.#handlerOf(id);
    const facts = this.graph.modules.get(fileOf(id));
    if (!handler || !facts) return undefined;
    const { units } = this.values.writers.find((one) => nameOf(one.kept) === nameOf(kept)) ?? {};
    const writers = units ?? new Set();
    // How often the same function of the module is called is not known.
    if ([...(facts.units.get('default')?.uses ?? [])].some((one) => writers.has(idOf(fileOf(id), one))))
      return undefined;
    const all = this.#count(facts, kept, writers);
    const countUntil = (length: number): number =>
      this.#count(partialFacts(fileOf(id), handler.until(length)), kept, writers);
    if (countUntil(handler.length) < all) return undefined;
    let length = handler.length;
    while (length > 0 && countUntil(length - 1) === all) length--;
    return this.#sliceOf(id, handler.until(length));
  }

  /** How often it writes, or mentions what does. */
  #count(facts: Facts, kept: Kept, writers: ReadonlySet<UnitId>): number {
    const { reads = [], handed = [] } = facts.flow({ kind: 'wrappers' }) ?? {};
    const { imports = [] } = facts.units.get('default') ?? {};
    const isWriting = (id: UnitId): boolean => writers.has(id);
    const direct = reads.filter(
      (read) =>
        this.values.writtenBy(read).some((one) => nameOf(one) === nameOf(kept)) ||
        this.graph.behind(read.key, read.member).some(isWriting),
    );
    const given = handed.filter(({ key }) => key === kept.key);
    const called = imports.filter(
      (one) => isEnding(one) || importedUnits(this.graph, facts.file, one).some(isWriting),
    );
    return direct.length + given.length + called.length;
  }

  #handlerOf(id: UnitId): Handler | undefined {
    const facts = this.graph.modules.get(fileOf(id));
    if (unitOf(id) !== 'default' || !facts) return undefined;
    if (!this.#handlers.has(facts.file)) this.#handlers.set(facts.file, Handler.of(facts.file, facts.text));
    return this.#handlers.get(facts.file);
  }

  #sliceOf(id: UnitId, text: string): Slice | undefined {
    const slice = sliceOf(this.graph, id, text);
    const reads = slice?.reads.filter(({ key }) => this.values.keys.includes(key)) ?? [];
    return slice && { ...slice, reads };
  }
}

/** What is known of a change so far, where what a slice says is asked for. */
export interface Known {
  has(id: UnitId): boolean;
  readonly told: readonly Kept[];
}

/** Whether what a slice decides may be another than it was. */
export const isTouched = ({ mentions, reads }: Slice, { has, told }: Known): boolean =>
  mentions.some(has) || reads.some((read) => told.some((kept) => finds(read, kept)));
