import { type Stats, statSync } from 'node:fs';

/** A whole file as it was read. */
export interface KeptFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  /** The state of the file when it was read. */
  readonly stat: Stats;
}

/** In bytes. Larger files are read for every request, piece by piece. */
export const MAX_CACHED_FILE_BYTES = 64 * 1024;
/** The same where files are compressed for clients: that takes longer than reading, and is done once for one that is kept. */
export const MAX_CODED_FILE_BYTES = 1024 * 1024;
/** In bytes, of all files. What they are compressed is smaller, and is dropped with them. */
const MAX_CACHE_BYTES = 16 * 1024 * 1024;

/** Small files, for as long as they have not changed on disk: that is checked every time, and costs little beside reading. */
export class KeptFiles {
  readonly #files = new Map<string, KeptFile>();
  #size = 0;

  get(path: string): KeptFile | undefined {
    const file = this.#files.get(path);
    if (file === undefined || isStill(path, file.stat)) return file;
    this.#drop(path);
    return undefined;
  }

  set(path: string, file: KeptFile): void {
    this.#drop(path);
    this.#files.set(path, file);
    this.#size += file.bytes.length;
    // Those that were read first go first.
    for (const oldest of this.#files.keys()) {
      if (this.#size <= MAX_CACHE_BYTES) return;
      this.#drop(oldest);
    }
  }

  #drop(path: string): void {
    this.#size -= this.#files.get(path)?.bytes.length ?? 0;
    this.#files.delete(path);
  }
}

function isStill(path: string, { ino, size, mtimeMs, ctimeMs }: Stats): boolean {
  try {
    const now = statSync(path);
    return now.ino === ino && now.size === size && now.mtimeMs === mtimeMs && now.ctimeMs === ctimeMs;
  } catch {
    return false;
  }
}
