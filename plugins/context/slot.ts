import type { Provider } from './provider.js';

/** A provider with the property and the file that it comes from. */
export interface Source {
  readonly key: string;
  readonly file: string;
  readonly provider: Provider;
}

type State = 'new' | 'making' | 'ready' | 'broken';

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
  /** What its factory asked to be done when its generation takes over. */
  beginnings: (() => unknown)[] = [];
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
    this.beginnings = [];
    for (let last = this.#closers.pop(); last; last = this.#closers.pop()) {
      try {
        await last();
      } catch (thrown) {
        failed(thrown);
      }
    }
  }
}
