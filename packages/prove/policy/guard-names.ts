import type { Project, TypeContribution } from 'fwkit/plugin';

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
export const middlewareFiles = (project: Project): readonly string[] =>
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
