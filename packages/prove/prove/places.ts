import type { Project } from 'fwkit/plugin';
import type { Target } from './findings.js';
import { bareOf } from './targets.js';

/** What of a directory guards all of it: the first that is there is what people fix. */
const OF_DIRECTORY = ['_middleware', 'auth'];

/** The file that people open for a target; undefined where it has none, as the endpoint of tools that are routes. */
export function fileOf(project: Project): (target: Pick<Target, 'file'>) => string | undefined {
  const sources = new Map(project.entries.map(({ file }) => [bareOf(file), file]));
  const sourceOf = (path: string): string | undefined => {
    const file = sources.get(path);
    return file === undefined ? undefined : project.display(file);
  };
  return ({ file }) => {
    if (file.startsWith('plugin "')) return undefined;
    if (!file.endsWith('/')) return sourceOf(bareOf(file)) ?? project.display(file);
    return OF_DIRECTORY.flatMap((name) => sourceOf(`${file}${name}`) ?? [])[0];
  };
}
