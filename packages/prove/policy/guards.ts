import type { Project, TypeContribution } from 'fwkit/plugin';

/** What a name of a guard stands for. */
export type Found =
  | { readonly file: string }
  /** None has the name, or several: what may have been meant, the nearest first. */
  | {
      readonly file?: undefined;
      readonly isShared: boolean;
      readonly candidates: readonly string[] /** The candidate that is nearly the name. */;
      readonly meant?: string;
    };

/** The middlewares of a project, by their names. */
export class Guards {
  readonly #files: readonly string[];
  readonly #byName = new Map<string, string[]>();
  readonly #paths = new Map<string, string>();

  /** `files`: relative to the source directory. */
  constructor(files: Iterable<string>) {
    this.#files = [...new Set(files)];
    for (const file of this.#files) {
      const names = namesOf(file);
      if (names[0] !== undefined) this.#paths.set(names[0], file);
      for (const name of names) this.#byName.set(name, [...(this.#byName.get(name) ?? []), file]);
    }
  }

  find(name: string): Found {
    const wanted = name.replace(/^\/+|\/+$/g, '');
    const path = this.#paths.get(wanted);
    const files = path === undefined ? (this.#byName.get(wanted) ?? []) : [path];
    const [file, ...others] = files;
    if (file !== undefined && others.length === 0) return { file };
    const candidates = (files.length > 0 ? files : this.#files).map((one) => this.#shortest(one, wanted));
    const [nearest, ...rest] = nearestFirst(candidates, wanted);
    if (nearest === undefined) return { isShared: false, candidates: [] };
    const isMeant =
      files.length === 0 &&
      distance(nearest, wanted) <= Math.min(wanted.length - 2, Math.max(2, wanted.length / 4));
    return {
      isShared: files.length > 0,
      candidates: [nearest, ...rest],
      ...(isMeant ? { meant: nearest } : {}),
    };
  }

  /** The name of its own that is most like `wanted`. */
  #shortest(file: string, wanted: string): string {
    const own = namesOf(file).filter((name, index) => index === 0 || this.#byName.get(name)?.length === 1);
    return nearestFirst(own, wanted)[0] ?? file;
  }
}

const nearestFirst = (names: readonly string[], wanted: string): readonly string[] =>
  names
    .map((name) => ({ name, away: distance(name, wanted) }))
    .sort((a, b) => a.away - b.away || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);

/** How many characters have to be added, taken away or replaced to make `b` of `a` (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let at = 1; at <= a.length; at++) {
    const next = [at];
    for (let to = 1; to <= b.length; to++)
      next[to] = Math.min(
        (row[to] ?? 0) + 1,
        (next[to - 1] ?? 0) + 1,
        (row[to - 1] ?? 0) + (a[at - 1] === b[to - 1] ? 0 : 1),
      );
    row = next;
  }
  return row[b.length] ?? 0;
}

const bare = (file: string): string => file.replace(/\.m?[jt]s$/, '');

/**
 * What a middleware may be called, the longest first: its path without extension, its directory where it is a `_middleware`, and its short
 * name: `csrf` for `middlewares/2.csrf.ts`, `admin` for `api/v1/admin/_middleware.ts`. `file` is relative to the source directory.
 */
export function namesOf(file: string): readonly string[] {
  const path = bare(file);
  if (path.startsWith('middlewares/'))
    return [path, path.slice('middlewares/'.length).replace(/(^|\/)\d+\./g, '$1')];
  const directory = path.slice(0, path.lastIndexOf('/'));
  return [...new Set([path, directory, directory.slice(directory.lastIndexOf('/') + 1)])];
}

/** The middlewares of a project: files relative to its source directory. */
const middlewareFiles = (project: Project): readonly string[] =>
  [...project.files('middleware'), ...project.files('directory-middleware')].map(({ file }) => file);

/** The types that a policy is written with: names of the project's middlewares, and `.meta({ public })`. */
export function guardTypes(project: Project): TypeContribution {
  const files = middlewareFiles(project);
  const all = files.flatMap(namesOf);
  // A name that two have is asked about: it is not offered.
  const names = [...new Set(all)].filter((name) => all.indexOf(name) === all.lastIndexOf(name)).sort();
  const guards = names.map((name) => `    readonly ${JSON.stringify(name)}: true;\n`).join('');
  return {
    declarations: `  interface Guards {\n${guards}  }\n  interface RouteMeta {\n    /** Why anybody may call it, whatever the policy says: shown in each report of \`fwk prove\`. */\n    readonly public?: string;\n  }\n`,
  };
}
