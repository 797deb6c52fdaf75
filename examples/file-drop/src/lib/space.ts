import { statfs } from 'node:fs/promises';
import { error } from 'fwkit';
import { readable, type Settings } from './settings.js';

/** Bytes that stay free on the disk. */
const RESERVE = 1024 * 1024;

/** The space reserved for an upload. */
export interface Claim {
  /** The received bytes. */
  readonly size: number;
  /** Records received bytes. Throws an HTTP error above the limit. */
  add(bytes: number): void;
  /** Releases the reserved space. */
  release(): void;
}

/** Reserves disk space for uploads. */
export class Space {
  readonly #settings: Settings;
  #used = 0;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Bytes of all files, including announced uploads. */
  get used(): number {
    return this.#used;
  }

  /** The free space in bytes. */
  async free(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#settings.folder);
    return Math.max(0, Math.min(this.#settings.maxTotal - this.#used, bavail * bsize - RESERVE));
  }

  /** Counts the size of an existing file. */
  take(bytes: number): void {
    this.#used += bytes;
  }

  give(bytes: number): void {
    this.#used -= bytes;
  }

  /**
   * Reserves space for a file of this size (0 if unknown). If there isn't enough space, throws an HTTP error before the
   * upload starts.
   */
  async claim(announced: number): Promise<Claim> {
    const checkFile = (bytes: number): void => {
      const { maxFile } = this.#settings;
      if (bytes > maxFile) throw error(413, `The file is larger than ${readable(maxFile)}.`);
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

const full = () =>
  error(507, 'There is not enough space for this file. Try again later, or send a smaller file.');

/** Converts a disk error to an HTTP error, and returns other errors unchanged. */
export function asAnswer(thrown: unknown): unknown {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return code === 'ENOSPC' || code === 'EDQUOT' ? full() : thrown;
}
