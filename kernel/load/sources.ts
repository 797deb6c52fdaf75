import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createEmit, type Emit } from './emit.js';
import { ModuleError } from './error.js';
import { Resolver } from './resolve.js';
import { createSource, type Source } from './source.js';
import { readTsconfig } from './tsconfig.js';

/** The texts of a project in their newest state; all generations share it. */
export class Sources {
  readonly #root: string;
  readonly #newest = new Map<string, Source>();
  #tools: Promise<{ emit: Emit; resolver: Resolver }> | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  async read(file: string): Promise<Source> {
    const { emit } = await this.tools();
    const text = readText(file);
    const known = this.#newest.get(file);
    if (known?.text === text) return known;
    const source = await createSource(emit, file, text);
    this.#newest.set(file, source);
    return source;
  }

  tools() {
    this.#tools ??= this.#open();
    return this.#tools;
  }

  async #open() {
    const options = readTsconfig(path.join(this.#root, 'tsconfig.json'));
    return { emit: await createEmit(options), resolver: new Resolver(this.#root, options) };
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch {
    throw new ModuleError('ERR_MODULE_NOT_FOUND', `Cannot find module '${file}'`, file);
  }
}
