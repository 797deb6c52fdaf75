import type { Roster } from 'fwkit/plugin';
import type { Names } from './names.js';
import type { ScriptRunner } from './script-runner.js';
import { LEAVE, SHARE, SUM } from './scripts.js';

/** How long the shares of a process count that says nothing more, in milliseconds. */
const SHARES_END_MS = 30_000;
/** How often it says so again. */
export const PROLONG_INTERVAL_MS = SHARES_END_MS / 3;
/** How long shares that are set are gathered, in milliseconds. */
const GATHER_MS = 20;
/** How many of them one script takes. */
const CHUNK = 1_000;

/** A roster that Redis keeps: the shares of each process, and which processes count. */
export class RedisRoster implements Roster {
  readonly #name: string;
  readonly #process: string;
  readonly #names: Names;
  readonly #scripts: ScriptRunner;
  /** All that are not 0. */
  readonly #shares = new Map<string, number>();
  readonly #changed = new Set<string>();
  /** Whether Redis may have other shares than these. */
  #isStale = false;
  #hasShared = false;
  #gathering: NodeJS.Timeout | undefined;

  constructor(name: string, process: string, names: Names, scripts: ScriptRunner) {
    this.#name = name;
    this.#process = process;
    this.#names = names;
    this.#scripts = scripts;
  }

  set(shares: ReadonlyMap<string, number>): void {
    for (const [key, share] of shares) {
      if (share === 0) this.#shares.delete(key);
      else this.#shares.set(key, share);
      this.#changed.add(key);
    }
    this.#gathering ??= setTimeout(() => void this.#flush(), GATHER_MS).unref();
  }

  async sum(key: string): Promise<number> {
    const all = this.#names.roster(this.#name);
    return Number(await this.#scripts.run(SUM, [all], [all, key]));
  }

  /** Have the shares count further. Where Redis has lost them, or could not be told of a change, tell it all of them. */
  async prolong(): Promise<void> {
    if (!this.#hasShared) return;
    if (this.#isStale) return this.#send([...this.#shares.keys()], true);
    try {
      const wasThere = await this.#share([]);
      if (!wasThere && this.#shares.size > 0) await this.#send([...this.#shares.keys()], true);
    } catch {
      this.#isStale = true;
    }
  }

  /** Take the shares of this process away. */
  async leave(): Promise<void> {
    clearTimeout(this.#gathering);
    if (!this.#hasShared) return;
    await this.#scripts.run(LEAVE, this.#keys(), [this.#process]).catch(() => {});
  }

  #flush(): Promise<void> {
    this.#gathering = undefined;
    const changed = [...this.#changed];
    this.#changed.clear();
    return this.#send(changed, false);
  }

  async #send(keys: readonly string[], areAll: boolean): Promise<void> {
    this.#hasShared = true;
    try {
      for (let at = 0; at === 0 || at < keys.length; at += CHUNK)
        await this.#share(keys.slice(at, at + CHUNK), areAll && at === 0);
      if (areAll) this.#isStale = false;
    } catch {
      this.#isStale = true;
    }
  }

  /** Whether Redis had shares of this process before. */
  async #share(keys: readonly string[], areAll = false): Promise<boolean> {
    const shares = keys.flatMap((key) => [key, String(this.#shares.get(key) ?? 0)]);
    const args = [this.#process, String(SHARES_END_MS), areAll ? 'all' : '', ...shares];
    return Number(await this.#scripts.run(SHARE, this.#keys(), args)) === 1;
  }

  #keys(): readonly string[] {
    return [this.#names.roster(this.#name), this.#names.roster(this.#name, this.#process)];
  }
}
