import { Disposer } from '../../kernel/index.js';
import type { ProjectLogger } from '../../scope/index.js';
import { inTime } from './promises.js';
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
  /** Log an error that was thrown while `instance` was ending. */
  failed(instance: SingletonInstance, what: string, thrown: unknown): void;
}

/**
 * One singleton from its creation to its end. Every version that uses it holds it; it is destroyed
 * when the last of them has released it, so that no request sees a value that has ended.
 */
export class SingletonInstance implements Source {
  readonly key: string;
  readonly file: string;
  readonly provider: Provider;
  state: State = 'new';
  value: unknown;
  creation: Promise<void> = Promise.resolve();
  /** The value that the running attempt had to wait for. */
  waitsFor: SingletonInstance | undefined;
  /** The newest version that uses it: its factory's ctx reads from this version. */
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
    this.creation = Promise.resolve();
  }

  onDestroy(close: () => unknown): void {
    this.#closers.defer(() => this.#run(close, 'onDestroy'));
    // Registered by code that still ran after the end: the resources that it opened must be closed.
    if (this.#hasEnded) void this.#closers.dispose();
  }

  /** Run `begin` when this version starts, and the function that it returns when another starts. */
  onStart(begin: () => unknown): void {
    this.#beginnings.push(begin);
  }

  async begin(): Promise<void> {
    for (let next = this.#beginnings.shift(); next; next = this.#beginnings.shift()) {
      const begin = next;
      const end = await begin();
      // If `begin` returned no function, its work continues until the service is destroyed.
      if (typeof end !== 'function') continue;
      const stop = () => {
        this.#beginnings.unshift(begin);
        return end();
      };
      this.#ends.defer(() => this.#run(stop, 'The function returned in onStart'));
    }
  }

  /** Stop serving, although running requests may still need the value. Never rejects. */
  async stop(): Promise<void> {
    await this.#ends.dispose();
  }

  hold(): void {
    this.#holders += 1;
  }

  /** Destroy the value if no version holds it any more. Never rejects. */
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

  /** Run `undo`. An error is logged, so that the other functions still run. */
  async #run(undo: () => unknown, what: string): Promise<void> {
    try {
      await inTime(undo());
    } catch (thrown) {
      this.home.failed(this, what, thrown);
    }
  }
}

/**
 * Stop the services in `replaced`, then start those in `own`. If one fails to start, it is passed
 * to `broken`, and the previous ones continue to serve. Resolves with whether all have started.
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
  // If one fails to restart, the others must still restart.
  for (const instance of replaced)
    await instance.begin().catch((thrown) => instance.home.failed(instance, 'onStart', thrown));
  return false;
}
