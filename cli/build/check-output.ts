import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CODE_CACHE } from '../../app/code-cache.js';
import { consoleLogger } from '../../app/loggers.js';
import { MANIFEST, manifestOf } from '../../app/manifest.js';
import { openKernel } from '../../app/open-kernel.js';
import {
  BootError,
  type CommandRun,
  type Loader,
  type Logger,
  messageOf,
  nativeLoader,
  type Project,
  type ProjectPaths,
} from '../../kernel/internal.js';
import { OwnLogger } from '../../plugins/log/index.js';
import { additionsTo, askedFor, runAddition } from '../additions.js';
import { type Written, write } from '../files/write.js';
import { makeCodeCache } from './code-cache.js';
import type { SourceNames } from './source-names.js';

/**
 * Check the compiled tree in `output` as production would at its start, run the steps of plugins, and write down what
 * production needs to know of modules that it can import later, and the code that V8 compiles of ours. Nothing of the
 * project is started. What is logged is about the sources, by `names`.
 */
export async function recordCompiled(
  { root, source }: ProjectPaths,
  output: string,
  names: SourceNames,
  command: CommandRun,
): Promise<Written[]> {
  const loader: Loader = { ...nativeLoader(), sourceOf: (file) => names.sourceOf(file) };
  const { plugins, resolved } = await resolveCompiled({ root, source: output }, loggerOf(names), loader);
  refuseLeftovers(resolved.project, source);
  // At once: what changes from here on must not be taken for what was checked.
  const known = writeManifest(resolved.project);
  for (const addition of askedFor(additionsTo('build', plugins), command.flags))
    await runAddition(addition, command, resolved);
  await resolved.close();
  return [...known, ...(await writeCodeCache(root, output))];
}

async function resolveCompiled(paths: ProjectPaths, logger: Logger, loader = nativeLoader()) {
  const options = { paths, mode: 'production', loader, logger };
  const kernel = await openKernel({ ...options, purpose: 'build' });
  return { plugins: kernel.plugins, resolved: await kernel.resolve() };
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

/** It saves time and nothing else: what keeps it from being made does not fail the build. */
async function writeCodeCache(root: string, output: string): Promise<Written[]> {
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
