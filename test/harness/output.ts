import type { ChildProcess } from 'node:child_process';

// What Node, or fwk dev, says of a promise that nobody observes, and of what leaks: no test asks for it, so a file in whose servers it is
// said fails.
const OVERSIGHT =
  /node:internal\/process\/promises|UnhandledPromiseRejection|PromiseRejectionHandledWarning|MaxListenersExceededWarning|which ends the process in production/;
const oversights: string[] = [];
process.on('exit', () => {
  if (oversights.length === 0 || isExpected) return;
  console.error(`A server left a promise unobserved, or leaks:\n${oversights.join('\n')}`);
  process.exitCode = 1;
});

// Longer than any step here takes on a busy machine; a test that waits this long has failed.
const patience = 10_000;

/** A test of those: they are no failure of it. */
export function expectOversights(): void {
  isExpected = true;
}
let isExpected = false;

/** What a child, or a command in this process, has printed so far: both streams in the order they came, and waiting for more. */
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

  /** Nothing more will be printed. */
  close(): void {
    this.#ended = true;
    if (OVERSIGHT.test(this.stderr)) oversights.push(this.stderr);
    for (const look of this.#watchers) look();
  }

  /** Everything so far: an edit made now is told after this place. */
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
      const timer = setTimeout(() => fail(`${patience / 1000} s passed`), patience);
      this.#watchers.add(look);
      look();
    });
  }
}
