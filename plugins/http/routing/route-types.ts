import { type Entry, moduleType, type Project, type TypeContribution } from '../../../kernel/index.js';
import type { Convention } from './convention.js';
import { type FilePath, PathError } from './file-path.js';

/** What the files of one path are to the compiler. */
interface PathTypes {
  readonly params: readonly string[];
  /** Types of objects that have a member for each method. */
  readonly calls: string[];
}

/**
 * One member of `Routes` and of `Paths` per path, and one of `ParamNames` per parameter: from file paths alone, sorted. Files
 * whose path is wrong are left to the boot check.
 */
export function routeTypes(
  project: Project,
  entries: readonly Entry[],
  urlOf: (file: string) => FilePath | PathError,
  convention: Convention,
): TypeContribution | undefined {
  const types = new Map<string, PathTypes>();
  for (const entry of [...entries].sort((a, b) => (a.file < b.file ? -1 : 1))) {
    const url = urlOf(entry.file);
    if (url instanceof PathError) continue;
    const known = types.get(url.path) ?? { params: url.params, calls: [] };
    types.set(url.path, known);
    const suffix = /\.(\w+)\.m?[jt]s$/.exec(entry.file)?.[1];
    const call = convention.calls?.(
      `${moduleType(project, entry)}['default']`,
      url.method === undefined ? undefined : suffix,
    );
    if (call !== undefined) known.calls.push(call);
  }
  const paths = [...types].sort(([a], [b]) => (a < b ? -1 : 1));
  if (paths.length === 0) return undefined;
  const routes = paths.map(([path, { params }]) => member(JSON.stringify(path), objectOf(params)));
  const calls = paths
    .filter(([, known]) => known.calls.length > 0)
    .map(([path, known]) => member(`readonly ${JSON.stringify(path)}`, known.calls.join(' & ')));
  const names = [...new Set(paths.flatMap(([, { params }]) => params))].sort();
  return {
    imports: calls.some((line) => line.includes('ByMethod<'))
      ? ["import type { ByMethod } from 'fwkit';"]
      : [],
    declarations:
      declaration('Routes', routes) +
      declaration('Paths', calls) +
      declaration(
        'ParamNames',
        names.map((name) => member(name, 'string')),
      ),
  };
}

const member = (key: string, type: string): string => `    ${key}: ${type};\n`;

const objectOf = (params: readonly string[]): string =>
  params.length === 0 ? '{}' : `{ ${params.map((param) => `${param}: string`).join('; ')} }`;

const declaration = (name: string, members: readonly string[]): string =>
  members.length === 0 ? '' : `  interface ${name} {\n${members.join('')}  }\n`;
