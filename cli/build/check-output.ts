import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CODE_CACHE } from '../../app/code-cache.js';
import { consoleLogger } from '../../app/loggers.js';
import { MANIFEST, manifestOf } from '../../app/manifest.js';
import { openKernel } from '../../app/open-kernel.js';
import type { CommandRun } from '../../contributions/index.js';
import {
  BootError,
  type Kernel,
  type Logger,
  messageOf,
  PluginError,
  type Problem,
  type Project,
  type ProjectPaths,
  toPosix,
} from '../../kernel/index.js';
import { type Loader, nativeLoader } from '../../loader/index.js';
import { OwnLogger } from '../../plugins/log/index.js';
import { additionsTo, runAddition, selectedSteps } from '../command-line.js';
import { type WriteResult, write } from '../files/write.js';

export class SourceNames {
  /** Matches compiled files in a message, as users see them: `dist/api/x.js`. */
  readonly #compiled: RegExp;

  /**
   * @param output the directory with the compiled files of `paths.source`
   * @param aliases the patterns in `paths` of the tsconfig
   */
  constructor(
    private readonly paths: ProjectPaths,
    private readonly output: string,
    private readonly aliases: readonly string[],
  ) {
    const directory = toPosix(relative(paths.root, output)).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    this.#compiled = new RegExp(
      `(?<![\\w./-])${directory && `${directory}/`}\\S+?\\.m?js(?!\\w|\\.\\w)`,
      'g',
    );
  }

  inText(text: string): string {
    return text.replace(this.#compiled, (file) => this.#sourceOf(file) ?? file);
  }

  sourceOf(file: string): string {
    return this.#sourceOf(file) ?? toPosix(relative(this.paths.root, file));
  }

  /** Makes an error of the compiled files name the sources. Other errors are returned unchanged. */
  inError(thrown: unknown): unknown {
    if (!(thrown instanceof BootError) || thrown instanceof PluginError) return thrown;
    return new BootError(thrown.problems.map((problem) => this.#inProblem(problem)));
  }

  #inProblem({ file, line, message, excerpt, code }: Problem): Problem {
    const source = file === undefined ? undefined : this.#sourceOf(file);
    // The excerpt of a syntax error shows the compiled text, not the source.
    if (file === undefined || source === undefined || excerpt !== undefined)
      return { file, line, message: this.inText(message), code, excerpt };
    return {
      file: source,
      code,
      line: line === undefined ? undefined : originalLine(join(this.paths.root, file), line),
      message: this.#withAlias(this.inText(message)).replace(
        /(Rename it to \S+\.m?)js\b/,
        (advice, name: string) => (source.endsWith('ts') ? `${name}ts` : advice),
      ),
    };
  }

  /** Explains an import that the compiler resolves by `paths`, and that Node reads as the name of a package. */
  #withAlias(message: string): string {
    const name = /^cannot be linked: Cannot find package '([^']+)'/.exec(message)?.[1];
    const alias = this.aliases.find((pattern) => {
      const prefix = pattern.replace(/\*.*$/, '');
      return `${name}/`.startsWith(prefix) || prefix.startsWith(`${name}/`);
    });
    if (name === undefined || alias === undefined) return message;
    return `cannot be linked: it imports "${alias}", which "paths" in tsconfig.json maps to a file. The compiler does not rewrite such imports, so production cannot resolve them. Use a relative path, or an alias that begins with "#" in "imports" of package.json.`;
  }

  #sourceOf(file: string): string | undefined {
    const { root, source } = this.paths;
    const below = relative(this.output, resolve(root, file));
    if (below.startsWith('..')) return undefined;
    const stem = join(source, below);
    const found = [stem.replace(/js$/, 'ts'), stem.replace(/js$/, 'tsx'), stem].find(existsSync);
    return found && toPosix(relative(root, found));
  }
}

/** The source line that line `line` of a compiled file was made from; undefined if there is no source map. */
function originalLine(file: string, line: number): number | undefined {
  try {
    const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
    const row = readFileSync(file, 'utf8').split('\n')[line - 1] ?? '';
    const entry = map.findEntry(line - 1, row.search(/\S|$/));
    return 'originalLine' in entry ? entry.originalLine + 1 : undefined;
  } catch {
    return undefined;
  }
}

/** Check the compiled tree as production does at startup, run the build steps of plugins, and save the manifest and the code cache, which make production start faster. */
export async function recordCompiled(
  { root, source }: ProjectPaths,
  output: string,
  names: SourceNames,
  command: CommandRun,
): Promise<WriteResult[]> {
  const loader: Loader = { ...nativeLoader(), sourceOf: (file) => names.sourceOf(file) };
  const { kernel, resolved } = await resolveCompiled({ root, source: output }, loggerOf(names), loader);
  refuseLeftovers(resolved.project, source, kernel.claims);
  // Snapshot the tree first, so that later changes don't count as checked.
  const known = writeManifest(resolved.project);
  for (const addition of selectedSteps(additionsTo('build', kernel.plugins), command.flags))
    await runAddition(addition, command, resolved);
  await resolved.close();
  return [...known, ...(await writeCodeCache(root, output))];
}

async function resolveCompiled(paths: ProjectPaths, logger: Logger, loader = nativeLoader()) {
  const options = { paths, mode: 'production', loader, logger };
  const kernel = await openKernel({ ...options, purpose: 'build' });
  return { kernel, resolved: await kernel.resolve() };
}

function loggerOf(names: SourceNames): Logger {
  const toSources = (message: string): string => names.inText(message);
  return new OwnLogger('debug', (level, call) => {
    consoleLogger()[level](
      { ...call.fields, ...(call.thrown.length > 0 ? { err: call.thrown[0] } : {}) },
      toSources(call.message),
      ...call.details,
    );
  });
}

function writeManifest({ root, source, run, entries }: Project): WriteResult[] {
  const path = relative(root, join(source, MANIFEST));
  const contents = manifestOf(
    source,
    run.recorded,
    entries.map(({ file }) => file),
  );
  return write(root, [{ path, contents, ifExists: 'replace' }]);
}

/** The code cache only saves time, so a failure to create it doesn't fail the build. */
async function writeCodeCache(root: string, output: string): Promise<WriteResult[]> {
  const path = relative(root, join(output, CODE_CACHE));
  try {
    const contents = await makeCodeCache(root, async (app) => {
      const { resolved } = await resolveCompiled(app, consoleLogger());
      writeManifest(resolved.project);
      await resolved.close();
    });
    return write(root, [{ path, contents, ifExists: 'replace' }]);
  } catch (cause) {
    console.error(`${path} could not be made, so production starts slower: ${messageOf(cause)}.`);
    return [];
  }
}

const SOURCES = ['.ts', '.mts', '.js', '.mjs', '.tsx', '.jsx'];

/** The compiler never deletes files, so a route would be served even after its source is deleted. */
function refuseLeftovers(project: Project, source: string, claims: Kernel['claims']): void {
  const isClaimed = (file: string): boolean => existsSync(join(source, file)) && claims(file);
  const leftovers = project.entries.filter(({ file }) => {
    const stem = file.replace(/\.m?js$/, '');
    return ![file, ...SOURCES.map((extension) => stem + extension)].some(isClaimed);
  });
  if (leftovers.length === 0) return;
  const message = 'has no source any more. Delete it: production would still serve it.';
  throw new BootError(
    leftovers.map(({ file }) => ({ file: project.display(file), message, code: 'FWK610' })),
  );
}

const bundled = (name: string): URL => new URL(name, import.meta.url);

/** A typical app: most apps need the code that V8 compiles for it. */
const APP = {
  'package.json': '{ "type": "module" }',
  'api/things/index.get.js': answering('() => ({ ok: true })'),
  'api/things/[id].get.js': answering('(req) => req.params'),
};

function answering(handler: string): string {
  return `import { get } from ${JSON.stringify(bundled('app.js'))};\nexport default get(${handler});\n`;
}

/** Saves the code that V8 compiles for the core while an app in `.fwk/` starts and answers in its own process. `prepare` builds the app. */
async function makeCodeCache(root: string, prepare: (app: ProjectPaths) => Promise<void>): Promise<Buffer> {
  const app = join(root, '.fwk/rehearsal');
  // An interrupted build may have left this directory behind.
  rmSync(app, { recursive: true, force: true });
  try {
    write(
      app,
      Object.entries(APP).map(([path, contents]) => ({ path, contents, ifExists: 'replace' })),
    );
    await prepare({ root: app, source: app });
    const file = join(app, 'code');
    await run([fileURLToPath(bundled('rehearsal.js')), app, '/api/things', file]);
    return readFileSync(file);
  } finally {
    rmSync(app, { recursive: true, force: true });
  }
}

/** Run Node with the flags in NODE_OPTIONS, as production does. Rejects with the first error line that Node prints. */
async function run(args: readonly string[]): Promise<void> {
  // The first variable would replace this cache, and the second would disable it.
  const { NODE_COMPILE_CACHE: _cache, NODE_USE_ENV_PROXY: _proxy, ...env } = process.env;
  const options = { env: { ...env, NODE_ENV: 'production' }, timeout: 30_000 };
  try {
    await promisify(execFile)(process.execPath, args, options);
  } catch (cause) {
    const [firstLine] =
      cause instanceof Error && 'stderr' in cause ? String(cause.stderr).split('\n', 1) : [];
    throw firstLine ? new Error(firstLine) : cause;
  }
}
