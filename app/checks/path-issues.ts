import { distance } from 'fastest-levenshtein';
import type { Project } from '../../kernel/index.js';
import { METHOD_OF_SUFFIX } from '../../plugins/http/index.js';
import type { Issue, PluginNames } from './issue.js';
import { unreadFiles } from './unread-files.js';

const METHODS = Object.keys(METHOD_OF_SUFFIX);
/** Names of routes with a suffix that is no HTTP method: `x.GET.ts`. */
const SUFFIX = /\.(\w+)\.m?[jt]s$/;

export const pathIssues = (project: Project, plugins: PluginNames): Issue[] => [
  ...unreadFiles(project, plugins),
  ...routeSuffixes(project),
  ...directorySuffixes(project),
  ...copies(project),
  ...caseTwins(project),
];

function routeSuffixes(project: Project): Issue[] {
  return [...project.files('api'), ...project.files('web')].flatMap(({ file }): Issue[] => {
    const suffix = SUFFIX.exec(file)?.[1];
    if (suffix === undefined || METHODS.includes(suffix)) return [];
    const lower = suffix.toLowerCase();
    const isUpperCase = METHODS.includes(lower);
    const meant = isUpperCase ? lower : METHODS.find((method) => isMisspelled(lower, method));
    if (meant === undefined) return [];
    return [
      {
        rule: 'misspelled-name',
        code: 'FWK119',
        file,
        message: `is a route whose URL ends in ".${suffix}", because "${suffix}" is not an HTTP method.`,
        fix: `If you meant the method, rename it to .${meant}${file.slice(file.lastIndexOf('.'))}.`,
        isRefused: isUpperCase,
      },
    ];
  });
}

const METHOD_DIRECTORY = new RegExp(`/([^/]*\\.(?:${METHODS.join('|')}))(?=/)`);

/** Directories with the suffix of a file: `users.get/index.ts` is `/users.get`. */
const directorySuffixes = (project: Project): Issue[] =>
  [...project.files('api'), ...project.files('web')].flatMap(({ file }): Issue[] => {
    const name = METHOD_DIRECTORY.exec(file)?.[1];
    if (name === undefined) return [];
    return [
      {
        rule: 'misspelled-name',
        code: 'FWK119',
        file,
        message: `is a route whose URL contains "${name}", because only the name of a file can end in a method.`,
        fix: 'If you meant the method, move it to the name of the file.',
      },
    ];
  });

/** Files whose names contain a space. File managers add one to the names of copies: `users copy.ts`, `users (1).ts`. */
const copies = (project: Project): Issue[] =>
  project.entries
    .filter(({ file }) => /\s/.test(file))
    .map(({ file }) => ({
      rule: 'misspelled-name',
      code: 'FWK119',
      file,
      message: 'has a space in its path, and is read like any other file.',
      fix: 'Delete it if it is a copy. Otherwise, rename it.',
    }));

/** Not the plural, as in `blog.posts.ts`. */
const isMisspelled = (suffix: string, method: string): boolean =>
  suffix.length > 3 && suffix !== `${method}s` && distance(suffix, method) <= (suffix.length > 4 ? 2 : 1);

/** Paths that differ only in upper and lower case. On some file systems, they are one file. */
function caseTwins(project: Project): Issue[] {
  const seen = new Map<string, string>();
  const issues: Issue[] = [];
  for (const { file } of project.entries)
    for (let end = file.indexOf('/'); end !== -1; end = file.indexOf('/', end + 1)) note(file.slice(0, end));
  for (const { file } of project.entries) note(file);
  return issues;

  function note(path: string): void {
    const key = path.toLowerCase();
    const first = seen.get(key);
    seen.set(key, first ?? path);
    if (first === undefined || first === path || issues.some((one) => one.file === path)) return;
    issues.push({
      rule: 'case-twins',
      code: 'FWK120',
      file: path,
      message: `differs from ${project.display(first)} only in upper and lower case, so their URLs are different routes, with different middlewares.`,
      fix: 'Merge them under one name.',
    });
  }
}
