import type { Project, TypeContribution } from 'fwkit/plugin';
import { nearestFirst } from './nearest-first.js';

/** The middleware that has a name, or else the names that the user may have meant. */
export interface Found {
  readonly file?: string;
  /** Whether several middlewares have the name. */
  readonly isShared?: boolean;
  readonly names?: readonly string[];
}

export class Guards {
  readonly #files: readonly string[];
  readonly #byName = new Map<string, string[]>();

  constructor(files: Iterable<string>) {
    this.#files = [...new Set(files)];
    for (const file of this.#files)
      for (const name of namesOf(file)) this.#byName.set(name, [...(this.#byName.get(name) ?? []), file]);
  }

  find(name: string): Found {
    const wanted = name.replace(/^\/+|\/+$/g, '');
    const all = this.#byName.get(wanted) ?? [];
    // A path goes before a short name.
    const files = all.length > 1 ? all.filter((file) => bare(file) === wanted) : all;
    const [file, second] = files;
    if (file !== undefined && second === undefined) return { file };
    const names = (all.length > 0 ? all : this.#files).map((one) => {
      const own = namesOf(one).filter((other, at) => at === 0 || this.#byName.get(other)?.length === 1);
      return nearestFirst(own, wanted)[0] ?? one;
    });
    return { isShared: all.length > 0, names: nearestFirst(names, wanted) };
  }
}

const bare = (file: string): string => file.replace(/\.m?[jt]s$/, '');

/** The names of a middleware, the longest first: `api/v1/admin/_middleware`, `api/v1/admin` and `admin`, or `csrf` for `2.csrf.ts`. */
export function namesOf(file: string): readonly string[] {
  const path = bare(file);
  if (path.startsWith('middlewares/'))
    return [path, path.slice('middlewares/'.length).replace(/(^|\/)\d+\./g, '$1')];
  const directory = path.slice(0, path.lastIndexOf('/'));
  return [...new Set([path, directory, directory.slice(directory.lastIndexOf('/') + 1)])];
}

export function guardTypes(project: Project): TypeContribution {
  const files = ['middleware', 'directory-middleware'].flatMap((kind) => project.files(kind));
  const all = files.flatMap(({ file }) => namesOf(file));
  // An ambiguous name isn't offered.
  const names = [...new Set(all)].filter((name) => all.indexOf(name) === all.lastIndexOf(name)).sort();
  const guards = names.map((name) => `    readonly ${JSON.stringify(name)}: true;\n`).join('');
  return {
    declarations: `  interface Guards {\n${guards}  }\n  interface RouteMeta {\n    /** Why anybody may call the route, even visitors that the policy refuses. Each report of \`fwk prove\` shows the reason. */\n    readonly public?: string;\n  }\n`,
  };
}
