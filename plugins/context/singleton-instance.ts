import { Disposer } from '../../kernel/index.js';
import type { ProjectLogger } from '../../scope/index.js';
import type { Provider } from './provider.js';

export interface Source {
  readonly key: string;
  readonly file: string;
  readonly provider: Provider;
}

type State = 'new' | 'making' | 'ready' | 'broken';

export interface Home {
  read(reader: SingletonInstance, key: string): unknown;
  has(key: string): boolean;
  readonly logger: ProjectLogger;
  /** Log what a part of the end of `instance` threw. */
  failed(instance: SingletonInstance, what: string, thrown: unknown): void;
}

/**
 * One singleton from its making to its end. Every version that has it holds it; it is destroyed when the last of them
 * has released it, so that no request sees a value that has ended.
 */
export class SingletonInstance implements Source {
  readonly key: string;
  readonly file: string;
  readonly provider: Provider;
  state: State = 'new';
  value: unknown;
  made: Promise<void> = Promise.resolve();
  /** The value that the running attempt had to wait for. */
  waitsFor: SingletonInstance | undefined;
  /** The last key that the running attempt read and that `ctx` has not; in production not noted. */
  unknownKey: string | undefined;
  /** The newest version that has it: what its factory's ctx reads from then on. */
  home: Home;
  #beginnings: (() => unknown)[] = [];
  readonly #ends = new Disposer();
  readonly #closers = new Disposer();
  #holders = 1;
  #hasEnded = false;

  constructor({ key, file, provider }: Source, home: Home) {
    this.key = key;
    this.file = file;
    this.provider = provider;
    this.home = home;
  }

  attempted(): void {
    this.state = 'making';
    this.waitsFor = undefined;
    this.unknownKey = undefined;
    this.made = Promise.resolve();
  }

  missed(key: string): void {
    this.unknownKey = key;
  }

  onDestroy(close: () => unknown): void {
    this.#closers.defer(() => this.#run(close, 'onDestroy'));
    // Registered by code that still ran after the end: what it opened must be closed nevertheless.
    if (this.#hasEnded) void this.#closers.dispose();
  }

  /** Have `begin` run when its version starts, and the function that it returns when another version does. */
  onStart(begin: () => unknown): void {
    this.#beginnings.push(begin);
  }

  async begin(): Promise<void> {
    for (let next = this.#beginnings.shift(); next; next = this.#beginnings.shift()) {
      const begin = next;
      const end = await begin();
      // Without a function that stops it, it goes on until the service is destroyed.
      if (typeof end !== 'function') continue;
      const stop = () => {
        this.#beginnings.unshift(begin);
        return end();
      };
      this.#ends.defer(() => this.#run(stop, 'The function returned in onStart'));
    }
  }

  /** Stop serving, though running requests may still need the value. Never rejects. */
  async stop(): Promise<void> {
    await this.#ends.dispose();
  }

  hold(): void {
    this.#holders += 1;
  }

  /** Destroy it, if no version holds it any more. Never rejects. */
  async release(): Promise<void> {
    this.#holders -= 1;
    if (this.#holders > 0) return;
    await this.undo();
    this.#hasEnded = true;
  }

  async undo(): Promise<void> {
    await this.stop();
    this.#beginnings = [];
    await this.#closers.dispose();
  }

  /** Run `undo`. An error is logged, so that it does not stop the others. */
  async #run(undo: () => unknown, what: string): Promise<void> {
    try {
      await undo();
    } catch (thrown) {
      this.home.failed(this, what, thrown);
    }
  }
}

/**
 * Have `replaced` stop, then `own` begin. One that cannot is passed to `broken`, and those before go on serving.
 * Resolves with whether all have begun.
 */
export async function replaceServices(
  replaced: readonly SingletonInstance[],
  own: readonly SingletonInstance[],
  broken: (instance: SingletonInstance, thrown: unknown) => void,
): Promise<boolean> {
  for (const instance of replaced.toReversed()) await instance.stop();
  let haveBegun = true;
  for (const instance of own)
    await instance.begin().catch((thrown) => {
      haveBegun = false;
      broken(instance, thrown);
    });
  if (haveBegun) return true;
  for (const instance of own.toReversed()) await instance.stop();
  // One that cannot begin again must not stop the others.
  for (const instance of replaced)
    await instance.begin().catch((thrown) => instance.home.failed(instance, 'onStart', thrown));
  return false;
}
