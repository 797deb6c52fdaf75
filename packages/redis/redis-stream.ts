import type { LogEntry, LogStore } from './log-store.js';
import { listOf } from './memory.js';
import type { ScriptRunner } from './script-runner.js';
import { AFTER, APPEND, LAST } from './scripts.js';

/** The entries of a log in Redis: a stream, whose ids grow. */
export class RedisStream implements LogStore {
  readonly #key: string;
  readonly #scripts: ScriptRunner;

  constructor(key: string, scripts: ScriptRunner) {
    this.#key = key;
    this.#scripts = scripts;
  }

  async append(text: string, keep: number, maxAge: number): Promise<string> {
    return String(await this.#scripts.run(APPEND, [this.#key], [text, String(keep), String(maxAge * 1000)]));
  }

  async last(): Promise<string> {
    return String(await this.#scripts.run(LAST, [this.#key]));
  }

  async after(id: string, most: number): Promise<readonly LogEntry[]> {
    const found = listOf(await this.#scripts.run(AFTER, [this.#key], [id, String(most)]));
    return found.map((entry) => {
      const [at, fields] = listOf(entry);
      return { id: String(at), text: String(listOf(fields)[1]) };
    });
  }
}
