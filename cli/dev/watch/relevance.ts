import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import { envFiles } from '../../../app/env.js';
import type { ProjectPaths } from '../../../kernel/index.js';
import { extendedBy, readText } from '../../../loader/index.js';
import { VIEWS } from '../../../plugins/views/index.js';

const MODULES = new Set(['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs']);
const DECLARATION = /\.d\.[mc]?ts$/;
const SETTINGS = ['tsconfig.json', 'package.json'];

/** Temporary and backup files that editors and `sed -i` create next to a file. */
const SCRATCH = /^\.|~$|^#.*#$|^4913$|\.sw[a-p]$|\.tmp$|___jb_(tmp|old)___$|^sed\w{6}$/;

export class Relevance {
  readonly root: string;
  readonly #source: string;
  readonly #views: string;
  readonly #uses: (file: string) => boolean;
  readonly #built: Set<string>;
  readonly #included = new Set<string>();
  readonly #atRoot: ReadonlySet<string>;
  /** The files that configure how the project is compiled: tsconfig.json and all files that it extends. */
  settings: ReadonlySet<string>;

  /** `mode`: the mode of the project. `.env` files of other modes are ignored. */
  constructor({ root, source }: ProjectPaths, mode: string, uses: (file: string) => boolean) {
    this.root = root;
    this.#atRoot = new Set([...SETTINGS, ...envFiles(mode)]);
    this.#source = source;
    this.#views = join(root, VIEWS) + sep;
    this.#uses = uses;
    const { files, outDirs } = readTsconfigs(join(root, 'tsconfig.json'));
    this.settings = files;
    this.#built = new Set([join(root, 'dist'), ...outDirs]);
    // A compiler that writes next to the sources must not hide them.
    for (const directory of this.#built)
      if (`${source}${sep}`.startsWith(directory + sep)) this.#built.delete(directory);
  }

  readSettings(): ReadonlySet<string> {
    this.settings = readTsconfigs(join(this.root, 'tsconfig.json')).files;
    return this.settings;
  }

  isSetting(file: string): boolean {
    return this.settings.has(file);
  }

  include(file: string): void {
    this.#included.add(file);
  }

  matters(file: string): boolean {
    const name = basename(file);
    if (this.#included.has(file) || this.settings.has(file)) return true;
    if (dirname(file) === this.root && this.#atRoot.has(name)) return true;
    if (SCRATCH.test(name)) return false;
    if (MODULES.has(extname(name)) && !DECLARATION.test(name)) return true;
    return file.startsWith(this.#views) || this.#uses(file);
  }

  skips(directory: string): boolean {
    if (directory === this.root || directory === this.#source) return false;
    const name = basename(directory);
    return name === 'node_modules' || name.startsWith('.') || this.#built.has(directory);
  }

  isWatched(path: string): boolean {
    const inRoot = relative(this.root, path);
    if (inRoot === '..' || inRoot.startsWith(`..${sep}`) || inRoot === path) return false;
    for (let above = dirname(path); above.length > this.root.length; above = dirname(above))
      if (this.skips(above)) return false;
    return true;
  }
}

// Searched instead of parsed: the text may have comments, or be invalid right now. A false match only watches one more file.
const EXTENDS = /"extends"\s*:\s*("[^"]*"|\[[^\]]*\])/g;
const OUT_DIR = /"outDir"\s*:\s*"([^"]*)"/g;

interface Tsconfigs {
  /** Absolute paths of the file and of all files that it extends, including missing ones. */
  readonly files: ReadonlySet<string>;
  readonly outDirs: readonly string[];
}

function readTsconfigs(file: string): Tsconfigs {
  const files = new Set<string>();
  const outDirs: string[] = [];
  read(file);
  return { files, outDirs };

  function read(path: string): void {
    if (files.has(path)) return;
    files.add(path);
    const text = readText(path);
    for (const [, directory = ''] of text.matchAll(OUT_DIR)) outDirs.push(resolve(path, '..', directory));
    for (const [, names = ''] of text.matchAll(EXTENDS))
      for (const [, name = ''] of names.matchAll(/"([^"]*)"/g)) {
        const base = extendedBy(path, name);
        if (base !== undefined) read(base);
      }
  }
}
