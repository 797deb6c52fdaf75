import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import type { Disk } from './disk.js';
import type { Journal } from './journal.js';

const LARGEST = 2_000_000;
const WORTH = /"level":"(?:warn|error|fatal)"/;

const TORN = /^\{"level":.*\{"level":.*\}$/;

/** Reads what the app logs, as it is written. */
export class LogLines {
  lines = 0;
  torn = 0;
  readonly #disk: Disk;
  readonly #journal: Journal;
  readonly #unexpected: (line: string) => void;
  readonly #decoder = new StringDecoder();
  #at = 0;
  #rest = '';

  constructor(disk: Disk, journal: Journal, unexpected: (line: string) => void) {
    this.#disk = disk;
    this.#journal = journal;
    this.#unexpected = unexpected;
  }

  read(): void {
    const { size } = statSync(this.#disk.log);
    const bytes = Buffer.alloc(Math.max(0, size - this.#at));
    const file = openSync(this.#disk.log, 'r');
    const count = readSync(file, bytes, 0, bytes.length, this.#at);
    closeSync(file);
    this.#at += count;
    const lines = (this.#rest + this.#decoder.write(bytes.subarray(0, count))).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#look(line);
    if (this.#at < LARGEST) return;
    this.#disk.truncateLog();
    this.#at = 0;
  }

  #look(line: string): void {
    this.lines += 1;
    try {
      JSON.parse(line);
    } catch {
      // The disk took half of a line; the next one, of whichever process, comes behind it when there is room again.
      if (this.#journal.has('disk full') || TORN.test(line)) this.torn += 1;
      else this.#unexpected(`not JSON: ${line}`);
      return;
    }
    if (WORTH.test(line) && !this.#journal.explains(line)) this.#unexpected(line);
  }
}
