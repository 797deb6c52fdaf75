import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Play } from './play.js';

/** Only this many of one kind are printed. */
const EXAMPLES = 3;

export interface Finding {
  readonly kind: string;
  readonly detail: string;
  count: number;
  /** The exchanges that it was seen with. */
  readonly exchanges: number[];
}

/** The findings of a run, each once, with the exchanges that can be replayed. */
export class Findings {
  readonly all = new Map<string, Finding>();
  readonly #folder: string;
  readonly #tell: (line: string) => void;

  constructor(folder: string, tell: (line: string) => void) {
    this.#folder = folder;
    this.#tell = tell;
  }

  /** `plays`: the exchanges that may have caused it. */
  add(kind: string, detail: string, plays: readonly Play[] = []): void {
    const key = `${kind}: ${detail.replace(/tok-[\w-]+|\d+|[0-9a-f-]{8,}/g, '#').slice(0, 160)}`;
    const found = this.all.get(key) ?? { kind, detail, count: 0, exchanges: [] };
    if (found.count === 0)
      this.#tell(
        `finding: ${kind}: ${detail.slice(0, 600)} (exchange ${plays.map(({ number }) => number).join()})`,
      );
    this.all.set(key, found);
    found.count += 1;
    if (found.count > EXAMPLES) return;
    found.exchanges.push(...plays.map(({ number }) => number));
    for (const play of plays) this.keep(play, `${kind}: ${detail}`);
  }

  get count(): number {
    return this.all.size;
  }

  /** Write down the bytes of an exchange, as they went over each of its connections. */
  keep(play: Play, why: string): void {
    if (play.links.length === 0) return;
    mkdirSync(this.#folder, { recursive: true });
    const links = play.links.map(({ sent, came }, index) => [
      `== connection ${index + 1}: sent\n${shown(sent)}`,
      `== connection ${index + 1}: came\n${shown(came)}`,
    ]);
    const text = [`seed ${play.seed}, exchange ${play.number}`, why, ...links.flat()].join('\n');
    writeFileSync(path.join(this.#folder, `${play.number}.txt`), text, 'latin1');
  }
}

const shown = (pieces: readonly Buffer[]): string =>
  Buffer.concat(pieces).subarray(0, 200_000).toString('latin1');
