import type { Provider } from './provider.js';

/** A provider with the property and the file that it comes from. */
export interface Source {
  readonly key: string;
  readonly file: string;
  readonly provider: Provider;
}

type State = 'new' | 'making' | 'ready' | 'broken';

/** Something that a service does while it serves. One without an end goes on until the service is destroyed. */
interface Beginning {
  readonly begin: () => unknown;
  hasBegun: boolean;
  end: (() => unknown) | undefined;
}

/** Where the ctx of a factory finds values: the singletons of one generation. */
export interface Home {
  read(reader: Slot, key: string): unknown;
}

/**
 * One singleton from its making to its end. Every generation that has it holds it; it is destroyed when the last of
 * them has let it go, so that no request sees a value that has ended.
 */
export class Slot implements Source {
  readonly key: string;
  readonly file: string;
  readonly provider: Provider;
  state: State = 'new';
  value: unknown;
  /** Resolves when `making` is over, one way or the other. */
  made: Promise<void> = Promise.resolve();
  /** What the running attempt had to wait for. */
  waitsFor: Slot | undefined;
  /** The newest generation that has it: what its factory's ctx reads from then on. */
  home: Home;
  #beginnings: Beginning[] = [];
  #closers: (() => unknown)[] = [];
  #holders = 1;

  constructor({ key, file, provider }: Source, home: Home) {
    this.key = key;
    this.file = file;
    this.provider = provider;
    this.home = home;
  }

  /** Have `close` run at its end, last registered first. */
  onDestroy(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** Have `begin` run when its generation takes over, and what that returns when another one does. */
  onTakeOver(begin: () => unknown): void {
    this.#beginnings.push({ begin, hasBegun: false, end: undefined });
  }

  /** It serves from now on. Does nothing for one that serves already. */
  async begin(): Promise<void> {
    for (const beginning of this.#beginnings) {
      if (beginning.hasBegun) continue;
      beginning.hasBegun = true;
      const end = await beginning.begin();
      if (typeof end === 'function') beginning.end = () => end();
    }
  }

  /** It serves no longer, though requests that it has begun may still need it. Never rejects. */
  async stop(failed: (thrown: unknown) => void): Promise<void> {
    const ended = this.#beginnings.filter(({ end }) => end);
    await runAll(
      ended.flatMap(({ end }) => end ?? []),
      failed,
    );
    for (const beginning of ended) Object.assign(beginning, { hasBegun: false, end: undefined });
  }

  hold(): void {
    this.#holders += 1;
  }

  /** Destroy it, if no generation holds it any more. Never rejects: failures go to `failed`. */
  async letGo(failed: (thrown: unknown) => void): Promise<void> {
    this.#holders -= 1;
    if (this.#holders === 0) await this.undo(failed);
  }

  /** Undo what its factory has done so far. */
  async undo(failed: (thrown: unknown) => void): Promise<void> {
    await this.stop(failed);
    this.#beginnings = [];
    await runAll(this.#closers, failed);
  }
}

/** Empties the list from its end. */
async function runAll(list: (() => unknown)[], failed: (thrown: unknown) => void): Promise<void> {
  for (let last = list.pop(); last; last = list.pop()) {
    try {
      await last();
    } catch (thrown) {
      failed(thrown);
    }
  }
}

/**
 * Have `replaced` stop, then `own` begin. Where one of these cannot, it goes to `broken`, and those before serve on.
 * Resolves with whether all have begun.
 */
export async function handOver(
  replaced: readonly Slot[],
  own: readonly Slot[],
  broken: (slot: Slot, thrown: unknown) => void,
  failed: (slot: Slot) => (thrown: unknown) => void,
): Promise<boolean> {
  for (const slot of replaced.toReversed()) await slot.stop(failed(slot));
  let haveBegun = true;
  for (const slot of own)
    await slot.begin().catch((thrown) => {
      haveBegun = false;
      broken(slot, thrown);
    });
  if (haveBegun) return true;
  for (const slot of own.toReversed()) await slot.stop(failed(slot));
  for (const slot of replaced) await slot.begin();
  return false;
}
