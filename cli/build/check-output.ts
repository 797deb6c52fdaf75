import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { consoleLogger } from '../../app/loggers.js';
import { MANIFEST, manifestOf } from '../../app/manifest.js';
import { openKernel } from '../../app/open-kernel.js';
import type { CommandRun } from '../../contributions/index.js';
import {
  BootError,
  type Logger,
  PluginError,
  type Problem,
  type Project,
  type ProjectPaths,
  slashed,
} from '../../kernel/index.js';
import { type Loader, nativeLoader } from '../../loader/index.js';
import { OwnLogger } from '../../plugins/log/index.js';
import { additionsTo, askedFor, runAddition } from '../command-line.js';
import { type Written, write } from '../files/write.js';

/** Says of compiled files which sources they were made of: those are what people can fix. */
export class SourceNames {
  readonly #paths: ProjectPaths;
  readonly #output: string;
  /** Compiled files in a text, as people see them: `dist/api/x.js`. */
  readonly #compiled: RegExp;

  /** @param output the directory with what was compiled of `paths.source`. */
  constructor(paths: ProjectPaths, output: string) {
    this.#paths = paths;
    this.#output = output;
    const directory = slashed(relative(paths.root, output)).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    this.#compiled = new RegExp(
      `(?<![\\w./-])${directory && `${directory}/`}\\S+?\\.m?js(?!\\w|\\.\\w)`,
      'g',
    );
  }

  /** A text, with sources in place of the compiled files in it. */
  inText(text: string): string {
    return text.replace(this.#compiled, (file) => this.#sourceOf(file) ?? file);
  }

  /** The source of a compiled file, relative to the root; the file itself where it has none. `file`: absolute. */
  sourceOf(file: string): string {
    return this.#sourceOf(file) ?? slashed(relative(this.#paths.root, file));
  }

  /** The error of a check of what was compiled, about the sources. One that is not about the project stays as it is. */
  inError(thrown: unknown): unknown {
    if (!(thrown instanceof BootError) || thrown instanceof PluginError) return thrown;
    return new BootError(thrown.problems.map((problem) => this.#inProblem(problem)));
  }

  #inProblem({ file, line, message, excerpt, code }: Problem): Problem {
    const source = file === undefined ? undefined : this.#sourceOf(file);
    // The excerpt of a text that does not parse is of the text that was compiled.
    if (file === undefined || source === undefined || excerpt !== undefined)
      return { file, line, message: this.inText(message), code, excerpt };
    return {
      file: source,
      code,
      line: line === undefined ? undefined : originalLine(join(this.#paths.root, file), line),
      message: this.inText(message).replace(/(Rename it to \S+\.m?)js\b/, (advice, name: string) =>
        source.endsWith('ts') ? `${name}ts` : advice,
      ),
    };
  }

  /** Both relative to the root. */
  #sourceOf(file: string): string | undefined {
    const { root, source } = this.#paths;
    const below = relative(this.#output, resolve(root, file));
    if (below.startsWith('..')) return undefined;
    const stem = join(source, below);
    const found = [stem.replace(/js$/, 'ts'), stem.replace(/js$/, 'tsx'), stem].find(existsSync);
    return found && slashed(relative(root, found));
  }
}

/** The line of the source that line `line` of a compiled file was made of; undefined where no source map says it. */
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

/**
 * Check the compiled tree in `output` as production would at startup, run the build steps of plugins, and write the manifest of
 * the modules that production imports later. No service is started. Log lines name the sources, by `names`.
 */
export async function recordCompiled(
  { root, source }: ProjectPaths,
  output: string,
  names: SourceNames,
  command: CommandRun,
): Promise<Written[]> {
  const loader: Loader = { ...nativeLoader(), sourceOf: (file) => names.sourceOf(file) };
  const kernel = await openKernel({
    paths: { root, source: output },
    mode: 'production',
    loader,
    logger: loggerOf(names),
    purpose: 'build',
  });
  const resolved = await kernel.resolve();
  refuseLeftovers(resolved.project, source);
  // Before the steps of plugins: a file that changes from here on must not count as checked.
  const written = writeManifest(resolved.project);
  for (const addition of askedFor(additionsTo('build', kernel.plugins), command.flags))
    await runAddition(addition, command, resolved);
  await resolved.close();
  return written;
}

function loggerOf(names: SourceNames): Logger {
  const told = (message: string): string => names.inText(message);
  return new OwnLogger('debug', (level, call) => {
    consoleLogger()[level](
      { ...call.fields, ...(call.thrown.length > 0 ? { err: call.thrown[0] } : {}) },
      told(call.message),
      ...call.details,
    );
  });
}

function writeManifest({ root, source, run }: Project): Written[] {
  const path = relative(root, join(source, MANIFEST));
  return write(root, [{ path, contents: manifestOf(source, run.recorded), ifExists: 'replace' }]);
}

/** The compiler deletes nothing, so a route whose source is gone would be served for ever. */
function refuseLeftovers(project: Project, source: string): void {
  const leftovers = project.entries.filter(({ file }) => {
    const stem = join(source, file).replace(/\.m?js$/, '');
    return !['.ts', '.mts', '.js', '.mjs'].some((extension) => existsSync(stem + extension));
  });
  if (leftovers.length === 0) return;
  const message = 'has no source any more. Delete it: production would still serve it.';
  throw new BootError(
    leftovers.map(({ file }) => ({ file: project.display(file), message, code: 'FWK610' })),
  );
}
