import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { atExit } from '../harness/cleanup.js';

const SIZE = 24 * 1024 * 1024;

/** A small file system for uploads and logs. */
export class Disk {
  /** Whether it is a file system of its own, which can be filled: it takes root, and Linux. */
  readonly isSmall: boolean;
  readonly log: string;
  readonly #folder: string;
  readonly #filler: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#filler = path.join(folder, 'filler');
    this.log = path.join(folder, 'app.log');
    this.isSmall = this.#mount();
  }

  fill(): void {
    const file = openSync(this.#filler, 'a');
    // Down to the last byte: what is written by others in between takes from it.
    for (let piece = Buffer.alloc(65_536); piece.length > 0; ) {
      try {
        writeSync(file, piece);
      } catch {
        piece = piece.subarray(0, piece.length >> 1);
      }
    }
    closeSync(file);
  }

  free(): void {
    rmSync(this.#filler, { force: true });
  }

  /** As logrotate does it with `copytruncate`. */
  truncateLog(): void {
    const file = openSync(this.log, 'r+');
    ftruncateSync(file);
    closeSync(file);
  }

  /** What uploads have left there. */
  get left(): readonly string[] {
    return readdirSync(this.#folder).filter((name) => name.startsWith('upload-'));
  }

  clear(): void {
    for (const name of this.left) rmSync(path.join(this.#folder, name), { force: true });
  }

  #mount(): boolean {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', this.#folder], {
        stdio: 'ignore',
      });
    } catch {
      return false;
    }
    atExit(() => execFileSync('umount', ['--lazy', this.#folder]));
    return true;
  }
}
