import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BootError, consoleLogger, nativeLoader, type Place, type Project } from '../kernel/host.js';
import { MANIFEST, manifestOf } from '../plugins/manifest.js';
import { openKernel } from '../plugins/open.js';
import { type Written, write } from './write.js';

/**
 * Check the compiled tree in `output` as production would at its start, and write down what it needs to know of modules
 * that it can import later. Nothing of the project is started.
 */
export async function recordCompiled({ root, source }: Place, output: string): Promise<Written[]> {
  const place = { root, source: output };
  const options = { place, mode: 'production', loader: nativeLoader(), logger: consoleLogger };
  const kernel = await openKernel({ ...options, purpose: 'build' });
  const { project, close } = await kernel.resolve();
  await close();
  refuseLeftovers(project, source);
  const contents = manifestOf(output, project.recorded);
  return write(root, [{ path: relative(root, join(output, MANIFEST)), contents, ifExists: 'replace' }]);
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
