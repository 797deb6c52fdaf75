import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { isObject } from '../../kernel/index.js';
import { write } from '../files/write.js';

/** The record of what builds wrote, so that a later one can remove files without a source. */
const RECORD = '.fwk/built.json';

/** Files that a build wrote into one directory, by path below it. */
type Built = Map<string, Entry>;

interface Entry {
  /** Relative to the root. */
  readonly source: string;
  /** Of what was written; null while that is under way. */
  readonly digest: string | null;
}

const ENDING = /(\.d)?\.([cm]?)([jt])sx?(\.map)?$/;

/** The record of what builds of the project in `root` wrote into `output`. One that is lost or broken knows of nothing. */
export class Build {
  readonly #root: string;
  readonly #output: string;
  readonly #key: string;
  readonly #built: Built;
  /** Those that are about to be written, as they were known before. */
  readonly #expected = new Map<string, Entry | undefined>();

  constructor(root: string, output: string) {
    this.#root = root;
    this.#output = output;
    this.#key = slashed(relative(root, output));
    this.#built = builtIn(readRecord(root)[this.#key]);
  }

  /**
   * Note what is about to be written of `sources`, absolute paths, before it is: a build may be interrupted. `base` is the
   * directory whose tree is repeated.
   */
  expect(sources: readonly string[], base: string): void {
    for (const source of sources) {
      const path = relative(base, source);
      if (path.startsWith('..') || /\.d\.[cm]?ts$/.test(path)) continue;
      const name = slashed(path.replace(ENDING, '.$2js'));
      if (!name.endsWith('js')) continue;
      this.#expected.set(name, this.#built.get(name));
      this.#built.set(name, { source: slashed(relative(this.#root, source)), digest: null });
    }
    this.#save();
  }

  /** Whether something that an earlier build wrote and this one is expected to write is gone. */
  get lacks(): boolean {
    if (!existsSync(this.#output)) return true;
    for (const [name, before] of this.#expected)
      if (before && !existsSync(join(this.#output, name))) return true;
    return false;
  }

  /** Note that `files`, absolute paths, were written, each where its source is found below one of `bases`. */
  wrote(files: readonly string[], bases: readonly string[]): void {
    // An incremental build writes only what differs.
    for (const [name, before] of this.#expected)
      if (before) this.#built.set(name, before);
      else this.#built.delete(name);
    for (const file of files) {
      const name = relative(this.#output, file);
      const source = name.startsWith('..') ? undefined : sourceOf(name, bases);
      if (source === undefined) continue;
      const digest = digestOf(file);
      if (digest) this.#built.set(slashed(name), { source: slashed(relative(this.#root, source)), digest });
    }
    this.#save();
  }

  /** Remove what was written and is as it was then, if its source is gone. Gives the paths, relative to the root. */
  clean(): string[] {
    const removed: string[] = [];
    for (const [name, { source, digest }] of this.#built) {
      if (existsSync(join(this.#root, source))) continue;
      this.#built.delete(name);
      const file = join(this.#output, name);
      const now = digestOf(file);
      if (now === undefined || (digest !== null && digest !== now)) continue;
      rmSync(file);
      removed.push(slashed(relative(this.#root, file)));
      removeEmpty(dirname(file), this.#output);
    }
    this.#save();
    return removed.sort();
  }

  #save(): void {
    const record = { ...readRecord(this.#root), [this.#key]: Object.fromEntries([...this.#built].sort()) };
    write(this.#root, [{ path: RECORD, contents: `${JSON.stringify(record)}\n`, ifExists: 'replace' }]);
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

/** A forged record cannot have anything removed outside the directory. */
function builtIn(record: unknown): Built {
  const built: Built = new Map();
  for (const [name, entry] of Object.entries(isObject(record) ? record : {})) {
    if (name.split('/').includes('..') || !isObject(entry) || typeof entry.source !== 'string') continue;
    built.set(name, {
      source: entry.source,
      digest: typeof entry.digest === 'string' ? entry.digest : null,
    });
  }
  return built;
}

const SOURCES = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json'];

function sourceOf(name: string, bases: readonly string[]): string | undefined {
  const stem = name.replace(/\.map$/, '').replace(/(\.d)?\.[^./\\]+$/, '');
  const candidates = bases.flatMap((base) => SOURCES.map((ending) => join(base, stem + ending)));
  return candidates.find((candidate) => existsSync(candidate));
}

function digestOf(file: string): string | undefined {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('base64');
  } catch {
    return undefined;
  }
}

/** The directories above what was removed, as long as nothing is in them. */
function removeEmpty(directory: string, above: string): void {
  if (!directory.startsWith(above + sep)) return;
  try {
    rmdirSync(directory);
  } catch {
    return; // there is something in it
  }
  removeEmpty(dirname(directory), above);
}

const slashed = (path: string): string => path.split(sep).join('/');
