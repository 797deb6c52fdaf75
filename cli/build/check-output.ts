import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CODE_CACHE } from '../../app/code-cache.js';
import { consoleLogger } from '../../app/loggers.js';
import { MANIFEST, manifestOf } from '../../app/manifest.js';
import { openKernel } from '../../app/open-kernel.js';
import {
  BootError,
  messageOf,
  nativeLoader,
  type Project,
  type ProjectPaths,
} from '../../kernel/internal.js';
import { type Written, write } from '../files/write.js';
import { makeCodeCache } from './code-cache.js';

/**
 * Check the compiled tree in `output` as production would at its start, and write down what it needs to know of modules
 * that it can import later, and what V8 makes of ours. Nothing of the project is started.
 */
export async function recordCompiled({ root, source }: ProjectPaths, output: string): Promise<Written[]> {
  const project = await check({ root, source: output });
  refuseLeftovers(project, source);
  // At once: what changes from here on must not be taken for what was checked.
  const known = writeManifest(project);
  return [...known, ...(await writeCodeCache(root, output))];
}

async function check(paths: ProjectPaths): Promise<Project> {
  const options = { paths, mode: 'production', loader: nativeLoader(), logger: consoleLogger };
  const kernel = await openKernel({ ...options, purpose: 'build' });
  const { project, close } = await kernel.resolve();
  await close();
  return project;
}

function writeManifest({ root, source, run }: Project): Written[] {
  const path = relative(root, join(source, MANIFEST));
  return write(root, [{ path, contents: manifestOf(source, run.recorded), ifExists: 'replace' }]);
}

/** It saves time and nothing else: what keeps it from being made does not fail the build. */
async function writeCodeCache(root: string, output: string): Promise<Written[]> {
  const path = relative(root, join(output, CODE_CACHE));
  try {
    const contents = await makeCodeCache(root, async (app) => void writeManifest(await check(app)));
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
  throw new BootError(leftovers.map(({ file }) => ({ file: project.display(file), message })));
}
