import type { Project, TypeContribution } from 'fwkit/plugin';

/** The middlewares that have a name. A path goes before a short name. */
export function guardsNamed(files: readonly string[], name: string): readonly string[] {
  const wanted = name.replace(/^\/+|\/+$/g, '');
  const all = files.filter((file) => namesOf(file).includes(wanted));
  const exact = all.filter((file) => bare(file) === wanted);
  return exact.length > 0 ? exact : all;
}

/** A file or a directory without what a pattern leaves out at its end. */
export const bare = (file: string): string => file.replace(/\.m?[jt]s$|\/$/, '');

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
