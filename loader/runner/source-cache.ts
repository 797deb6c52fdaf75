import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { loadBuildPackage } from '../build-package.js';
import { ModuleError } from '../errors/module-error.js';
import { register } from '../errors/source-mapped-stacks.js';
import { parseJson } from '../json.js';
import { isTooManyOpenFiles } from '../on-demand.js';
import { type LinkedModules, Resolver } from './resolve.js';
import { createSource, needsSourceMaps, type Source } from './source.js';
import { createEmit, type Emit } from './transform.js';
import { type CompilerOptions, readTsconfig } from './tsconfig.js';

export class Sources {
  readonly resolver: Resolver;
  readonly #newest = new Map<string, Source>();
  #prepared: { readonly file: string; readonly text: string; readonly source: Promise<Source> } | undefined;

  private constructor(
    private readonly root: string,
    private readonly options: CompilerOptions,
    private readonly emit: Emit,
    linked: LinkedModules,
  ) {
    this.resolver = new Resolver(root, options, linked);
  }

  static async open(root: string, linked: LinkedModules): Promise<Sources> {
    const options = optionsOf(root);
    return new Sources(root, options, createEmit(await loadBuildPackage(root), options), linked);
  }

  /** The source of a file, as it was last read. Throws a ModuleError if the file is missing or does not parse. */
  async get(file: string): Promise<Source> {
    return this.#newest.get(file) ?? this.read(file);
  }

  known(file: string): Source | undefined {
    return this.#newest.get(file);
  }

  /** The source, read again. Returns the same object unless the code changed, because other changes don't affect behavior. */
  async read(file: string): Promise<Source> {
    const known = this.#newest.get(file);
    this.#newest.delete(file);
    const text = readText(file);
    const source = known?.text === text ? known : await this.#make(file, text, known);
    this.#newest.set(file, source);
    return source;
  }

  /** Prepare the result of `read` in case the text stays as it is now. Debuggers and coverage must not see this text otherwise. */
  prepare(file: string): void {
    if (needsSourceMaps()) return;
    try {
      const text = readText(file);
      if (this.#newest.get(file)?.text === text) return;
      const source = createSource(this.emit, file, text);
      // `read` reports the mistakes in it.
      source.catch(() => {});
      this.#prepared = { file, text, source };
    } catch {}
  }

  async #make(file: string, text: string, known: Source | undefined): Promise<Source> {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    const isIt = prepared?.file === file && prepared.text === text;
    const created = await (isIt ? prepared.source : createSource(this.emit, file, text, known));
    // Not while preparing: the text may be replaced before it is read, together with the stacks of running code.
    register(file, created.code, text, created.emitWithMap);
    if (known?.code !== created.code) return created;
    return Object.assign(known, { text, emitWithMap: created.emitWithMap });
  }

  /** Whether these sources are valid after `changed`: compiler options change the code. Throws a ModuleError for an invalid tsconfig. */
  areStillValid(changed: Iterable<string>): boolean {
    const files = [...changed].filter((file) => file.endsWith('.json'));
    if (files.length === 0) return true;
    const manifest = path.join(this.root, 'package.json');
    if (files.includes(manifest)) parseJson(readText(manifest), manifest);
    const options = optionsOf(this.root);
    const { name, rules } = new Resolver(this.root, options);
    const known = [this.options, this.resolver.name, this.resolver.rules];
    return isDeepStrictEqual([options, name, rules], known);
  }
}

const optionsOf = (root: string): CompilerOptions => readTsconfig(path.join(root, 'tsconfig.json'));

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (cause) {
    if (isTooManyOpenFiles(cause)) throw cause;
    const isThere = cause instanceof Error && 'code' in cause && cause.code !== 'ENOENT';
    const message = isThere
      ? `Cannot read module '${file}': ${cause.message}`
      : `Cannot find module '${file}'`;
    throw new ModuleError('ERR_MODULE_NOT_FOUND', message, file);
  }
}
