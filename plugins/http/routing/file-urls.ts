import type { Project } from '../../../kernel/index.js';
import { type FilePath, PathError, PathReader } from './file-path.js';
import { addMount, type Mount } from './placeholders.js';
import type { Method } from './route.js';

interface FileUrlsOptions extends Mount {
  /** The suffixes of file names, and their methods: `{ get: 'GET' }`. Default: none. */
  readonly suffixes?: Readonly<Record<string, Method>>;
}

/**
 * Returns a function that maps each file of a directory to its URL, in the same way as in `web/`. If the path of a file is not
 * valid, the function reports it and returns undefined. Call this in a tap of `resolve` before `Stage.wrap`: middlewares then also
 * run for URLs below `mount` that have no route.
 */
export function fileUrls(
  project: Project,
  { suffixes = {}, ...mount }: FileUrlsOptions,
): (file: string) => FilePath | undefined {
  addMount(project, mount);
  const paths = new PathReader(mount.mount, suffixes);
  return (file) => {
    try {
      return paths.read(file.slice(mount.directory.length + 1));
    } catch (thrown) {
      if (!(thrown instanceof PathError)) throw thrown;
      project.report(file, thrown.message, 'FWK101');
      return undefined;
    }
  };
}
