import { Random } from '../random.js';
import type { Coverage } from './coverage.js';
import { mutated, shortened } from './mutate.js';
import type { Target } from './target.js';

/**
 * Milliseconds between two readings of coverage. A reading takes as long as hundreds of runs. While every other reading
 * finds new blocks, which repeats half of the runs, readings are frequent.
 */
const FIRST_BATCH_MS = 8;
const LONGEST_BATCH_MS = 250;
/** A parser that takes longer for one input hangs. */
const HANG_MS = 1_000;

export interface Finding {
  readonly target: string;
  readonly what: string;
  readonly input: Buffer;
}

/** One parser and the inputs that reach all that is known of it. */
export class Fuzzed {
  readonly corpus: Buffer[];
  executions = 0;
  readonly findings = new Map<string, Finding>();
  readonly #random: Random;
  #batchMs = FIRST_BATCH_MS;

  constructor(
    readonly target: Target,
    corpus: readonly Buffer[],
    private readonly words: readonly string[],
    private readonly coverage: Coverage,
    seed: number,
  ) {
    this.corpus = [...corpus];
    this.#random = new Random(seed ^ Buffer.from(target.name).reduce((sum, byte) => sum * 31 + byte, 7));
  }

  /** Runs known inputs, so that only other blocks count as new. */
  async warmUp(): Promise<void> {
    for (const input of this.corpus) await this.#try(input);
    this.coverage.note();
  }

  /** Runs mutations of known inputs for at least `ms` milliseconds. */
  async run(ms: number): Promise<void> {
    for (const end = performance.now() + ms; performance.now() < end; ) {
      const batch: Buffer[] = [];
      for (const begun = performance.now(); performance.now() - begun < this.#batchMs; ) {
        const input = this.#next();
        batch.push(input);
        await this.#try(input);
      }
      const blocks = this.coverage.note();
      this.#batchMs = blocks.length > 0 ? FIRST_BATCH_MS : Math.min(2 * this.#batchMs, LONGEST_BATCH_MS);
      if (blocks.length > 0) await this.#keep(batch, blocks);
    }
  }

  #next(): Buffer {
    const [input, other] = [this.#pick(), this.#pick()];
    return mutated(input, other, this.words, this.#random);
  }

  #pick(): Buffer {
    return this.corpus.length === 0 ? Buffer.alloc(0) : this.#random.pick(this.corpus);
  }

  /** Keeps the inputs that reach `blocks`, which none before reached: halves run again until one is alone. */
  async #keep(inputs: readonly Buffer[], blocks: readonly string[]): Promise<void> {
    const [only] = inputs;
    if (inputs.length === 1 && only) return void this.corpus.push(only);
    this.coverage.forget(blocks);
    const middle = Math.ceil(inputs.length / 2);
    for (const half of [inputs.slice(0, middle), inputs.slice(middle)]) {
      for (const input of half) await this.#try(input);
      const reached = this.coverage.note();
      if (reached.length > 0) await this.#keep(half, reached);
    }
  }

  async #try(input: Buffer): Promise<void> {
    this.executions += 1;
    const what = await this.#problemOf(input);
    if (what === undefined || this.findings.has(keyOf(what))) return;
    const same = async (shorter: Buffer) => keyOf((await this.#problemOf(shorter)) ?? '') === keyOf(what);
    // Each attempt at a hanging input takes as long again.
    const least = what.startsWith('took') ? input : await shortened(input, same);
    this.findings.set(keyOf(what), { target: this.target.name, what, input: least });
  }

  async #problemOf(input: Buffer): Promise<string | undefined> {
    const begun = performance.now();
    try {
      const running = this.target.run(input);
      if (running && !(await settles(running))) return 'took for ever';
    } catch (thrown) {
      return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : `threw ${String(thrown)}`;
    }
    for (const key in {}) {
      Reflect.deleteProperty(Object.prototype, key);
      return `put "${key}" into the prototype of all objects`;
    }
    return performance.now() - begun > HANG_MS ? `took more than ${HANG_MS} ms` : undefined;
  }
}

/**
 * Whether it settles in time; rejects if it rejects. The timer keeps the process alive for a promise that never
 * settles.
 */
async function settles(running: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, HANG_MS, false);
  });
  try {
    return await Promise.race([running.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Findings that differ in values only are one. */
const keyOf = (what: string): string => what.replace(/"[^"]*"|\d+/g, '').slice(0, 100);
