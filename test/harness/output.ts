import type { ChildProcess } from 'node:child_process';
import { patience } from './patience.js';

// Messages of Node or `fwk dev` about unobserved promises and leaks: a test file whose servers print one fails.
const OVERSIGHT =
  /node:internal\/process\/promises|UnhandledPromiseRejection|PromiseRejectionHandledWarning|MaxListenersExceededWarning|which ends the process in production/;
const oversights: string[] = [];
process.on('exit', () => {
  if (oversights.length === 0 || isExpected) return;
  console.error(`A server left a promise unobserved, or leaks:\n${oversights.join('\n')}`);
  process.exitCode = 1;
});

/** For tests of these messages. */
export function expectOversights(): void {
  isExpected = true;
}
let isExpected = false;

/**
 * The output so far of a child, or of a command in this process: both streams in order, with methods to wait for more.
 */
export class Output {
  stdout = '';
  stderr = '';
  all = '';
  #ended = false;
  readonly #watchers = new Set<() => void>();

  constructor(child?: ChildProcess) {
    for (const name of ['stdout', 'stderr'] as const)
      child?.[name]?.setEncoding('utf8').on('data', (chunk: string) => this.write(name, chunk));
    child?.on('close', () => this.close());
  }

  write(stream: 'stdout' | 'stderr', text: string): void {
    this[stream] += text;
    this.all += text;
    for (const look of this.#watchers) look();
  }

  /** Ends the output. */
  close(): void {
    this.#ended = true;
    if (OVERSIGHT.test(this.stderr)) oversights.push(this.stderr);
    for (const look of this.#watchers) look();
  }

  /** The current position: output of a later edit comes after it. */
  mark(): number {
    return this.all.length;
  }

  /** Resolves with the first match after `from`; rejects with the whole output when the child ends or time runs out. */
  async waitFor(pattern: RegExp, from = 0): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer);
        this.#watchers.delete(look);
        act();
      };
      const fail = (why: string) =>
        settle(() => reject(new Error(`${why} while waiting for ${pattern}. Output:\n${this.all}`)));
      const look = () => {
        const match = new RegExp(pattern, pattern.flags.replace(/[gy]/g, '')).exec(this.all.slice(from));
        if (match) settle(() => resolve(match));
        else if (this.#ended) fail('The process ended');
      };
      const limit = patience();
      const timer = setTimeout(() => fail(`${limit / 1000} s passed`), limit);
      this.#watchers.add(look);
      look();
    });
  }
}
