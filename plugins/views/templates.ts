import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Project, TypeContribution } from '../../kernel/index.js';
import { isInside } from './view.js';

/** Where templates are, at the root of a project. */
export const VIEWS = 'views';

/** The members of `Views`: the templates of the project by the names that `view()` takes. Undefined where there is none. */
export function viewTypes({ root }: Project, extension: string): TypeContribution | undefined {
  const end = `.${extension}`;
  const members = filesBelow(join(root, VIEWS))
    .filter((file) => file.endsWith(end) && isInside(file))
    .map((file) => [nameOf(file, end), file])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
    .map(([name, file]) => `    readonly ${JSON.stringify(name)}: ${JSON.stringify(file)};\n`);
  return members.length === 0 ? undefined : { declarations: `  interface Views {\n${members.join('')}  }\n` };
}

/** `file` without its extension, but where that would name another file: `a.eta` is the name of `a.eta`, not of `a.eta.eta`. */
function nameOf(file: string, end: string): string {
  const name = file.slice(0, -end.length);
  return name.endsWith(end) || !isInside(name) ? file : name;
}

/** The files below `directory`, as paths from there with forward slashes. Not those that are hidden, as editors' own are. */
function filesBelow(directory: string): string[] {
  const found: string[] = [];
  const start = target(directory);
  if (start !== undefined) walk(start, '', []);
  return found;

  /** `above`: the directories on the way, none of them a link, since a link may lead back to one of them. */
  function walk(path: string, prefix: string, above: readonly string[]): void {
    const way = [...above, path];
    for (const entry of list(path)) {
      const { name } = entry;
      if (name.startsWith('.')) continue;
      const isLink = entry.isSymbolicLink();
      const at = isLink ? target(join(path, name)) : join(path, name);
      if (at === undefined) continue;
      const kind = isLink ? statSync(at, { throwIfNoEntry: false }) : entry;
      if (kind?.isFile()) found.push(prefix + name);
      else if (kind?.isDirectory() && !way.includes(at)) walk(at, `${prefix}${name}/`, way);
    }
  }
}

/** What a path leads to; undefined where that is nothing. */
function target(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** What cannot be read holds no template that could be rendered. */
function list(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
