import { statfs } from 'node:fs/promises';
import { error } from 'fwkit';
import { readable, type Settings } from './settings.js';

/** What is left on the disk for others, in bytes. */
const RESERVE = 1024 * 1024;

/** What one upload takes. */
export interface Claim {
  /** Bytes that have come. */
  readonly size: number;
  /** More has come. Throws the answer for what is too much. */
  add(bytes: number): void;
  /** Nothing of it is kept. */
  release(): void;
}

/** Which upload may take how much of the disk. */
export class Space {
  readonly #settings: Settings;
  #used = 0;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Bytes of all files, those that are announced included. */
  get used(): number {
    return this.#used;
  }

  /** Bytes that may still come. */
  async free(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#settings.folder);
    return Math.max(0, Math.min(this.#settings.maxTotal - this.#used, bavail * bsize - RESERVE));
  }

  /** Count a file that is there. */
  take(bytes: number): void {
    this.#used += bytes;
  }

  give(bytes: number): void {
    this.#used -= bytes;
  }

  /** Make room for a file of that size, or of one that nobody knows (0). Throws the answer for one that has none, before it is sent. */
  async claim(announced: number): Promise<Claim> {
    const checkFile = (bytes: number): void => {
      const { maxFile } = this.#settings;
      if (bytes > maxFile) throw error(413, `A file here has at most ${readable(maxFile)}.`);
    };
    checkFile(announced);
    if (announced > (await this.free())) throw full();
    let claimed = announced;
    let size = 0;
    this.take(claimed);
    return {
      get size() {
        return size;
      },
      add: (bytes) => {
        size += bytes;
        checkFile(size);
        if (size <= claimed) return;
        this.take(size - claimed);
        claimed = size;
        if (this.#used > this.#settings.maxTotal) throw full();
      },
      release: () => this.give(claimed),
    };
  }
}

const full = () => error(507, 'There is no room for this file now. Try again later, or send a smaller one.');

/** What a failure of the disk is to a client; anything else as it is. */
export function asAnswer(thrown: unknown): unknown {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return code === 'ENOSPC' || code === 'EDQUOT' ? full() : thrown;
}
