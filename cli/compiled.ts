import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  BootError,
  consoleLogger,
  messageOf,
  nativeLoader,
  type Place,
  type Project,
} from '../kernel/host.js';
import { CODE_CACHE } from '../plugins/code-cache.js';
import { MANIFEST, manifestOf } from '../plugins/manifest.js';
import { openKernel } from '../plugins/open.js';
import { rehearse } from './rehearse.js';
import { type Contents, type Written, write } from './write.js';

/**
 * Check the compiled tree in `output` as production would at its start, and write down what it needs to know of modules
 * that it can import later, and what V8 makes of ours. Nothing of the project is started.
 */
export async function recordCompiled({ root, source }: Place, output: string): Promise<Written[]> {
  const project = await check({ root, source: output });
  refuseLeftovers(project, source);
  const path = (name: string): string => relative(root, join(output, name));
  const code = await codeCache();
  return [
    ...write(root, [manifest(project, path(MANIFEST))]),
    ...(code ? write(root, [{ path: path(CODE_CACHE), contents: code, ifExists: 'replace' }]) : []),
  ];
}

async function check(place: Place): Promise<Project> {
  const options = { place, mode: 'production', loader: nativeLoader(), logger: consoleLogger };
  const kernel = await openKernel({ ...options, purpose: 'build' });
  const { project, close } = await kernel.resolve();
  await close();
  return project;
}

const manifest = ({ source, recorded }: Project, path: string): Contents => ({
  path,
  contents: manifestOf(source, recorded),
  ifExists: 'replace',
});

/** It saves time and nothing else: what keeps it from being made does not fail the build. */
async function codeCache(): Promise<Buffer | undefined> {
  try {
    return await rehearse(async (place) => {
      write(place.root, [manifest(await check(place), MANIFEST)]);
    });
  } catch (cause) {
    console.error(
      `${CODE_CACHE} could not be made, so production starts slower: ${messageOf(cause)}. Nothing else is amiss.`,
    );
    return undefined;
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
