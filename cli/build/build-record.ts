import { copyFileSync, existsSync, mkdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { isObject, toPosix } from '../../kernel/index.js';
import { write } from '../files/write.js';

/** Record of the files that builds wrote, so that a later build can remove files whose source is gone. */
const RECORD = '.fwk/built.json';

export class Build {
  /** The source of each written file, relative to the root, by its path relative to the output directory. */
  readonly #built: Map<string, string>;

  constructor(
    private readonly root: string,
    private readonly output: string,
  ) {
    const record = readRecord(root)[this.#key];
    // A forged record must not make the build delete files outside the output directory.
    this.#built = new Map(
      Object.entries(isObject(record) ? record : {}).filter(
        (entry): entry is [string, string] =>
          !entry[0].split('/').includes('..') && typeof entry[1] === 'string',
      ),
    );
  }

  get #key(): string {
    return toPosix(relative(this.root, this.output));
  }

  /** Whether an output file is missing that an earlier build made from one of `sources` (absolute paths). */
  lacks(sources: readonly string[]): boolean {
    if (!existsSync(this.output)) return true;
    const current = new Set(sources.map((source) => toPosix(relative(this.root, source))));
    return [...this.#built].some(
      ([name, source]) => current.has(source) && !existsSync(join(this.output, name)),
    );
  }

  /** Record that `files` (absolute paths) were written. The source of each file is looked up below one of `bases`. */
  wrote(files: readonly string[], bases: readonly string[]): void {
    for (const file of files) {
      const name = relative(this.output, file);
      const source = name.startsWith('..') ? undefined : sourceOf(name, bases);
      if (source !== undefined) this.#built.set(toPosix(name), toPosix(relative(this.root, source)));
    }
    this.#save();
  }

  /** Copy files that are not compiled to the output directory. Their paths are relative to `source`. */
  copy(source: string, files: readonly string[]): void {
    for (const file of files) {
      const target = join(this.output, file);
      mkdirSync(dirname(target), { recursive: true });
      copyFileSync(join(source, file), target);
      this.#built.set(file, toPosix(relative(this.root, join(source, file))));
    }
    if (files.length > 0) this.#save();
  }

  /** Remove written files whose source is gone. Returns their paths, relative to the root. */
  clean(): string[] {
    const removed: string[] = [];
    for (const [name, source] of this.#built) {
      if (existsSync(join(this.root, source))) continue;
      this.#built.delete(name);
      const file = join(this.output, name);
      if (!existsSync(file)) continue;
      rmSync(file);
      removed.push(toPosix(relative(this.root, file)));
      removeEmpty(dirname(file), this.output);
    }
    this.#save();
    return removed.sort();
  }

  #save(): void {
    const record = { ...readRecord(this.root), [this.#key]: Object.fromEntries([...this.#built].sort()) };
    write(this.root, [{ path: RECORD, contents: `${JSON.stringify(record)}\n`, ifExists: 'replace' }]);
  }
}

function readRecord(root: string): Record<string, unknown> {
  try {
    const record: unknown = JSON.parse(readFileSync(join(root, RECORD), 'utf8'));
    return isObject(record) ? record : {};
  } catch {
    return {};
  }
}

const SOURCES = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json'];

function sourceOf(name: string, bases: readonly string[]): string | undefined {
  const stem = name.replace(/\.map$/, '').replace(/(\.d)?\.[^./\\]+$/, '');
  const candidates = bases.flatMap((base) => SOURCES.map((ending) => join(base, stem + ending)));
  return candidates.find((candidate) => existsSync(candidate));
}

function removeEmpty(directory: string, above: string): void {
  if (!directory.startsWith(above + sep)) return;
  try {
    rmdirSync(directory);
  } catch {
    return; // the directory is not empty
  }
  removeEmpty(dirname(directory), above);
}
