import {
  type Entry,
  type ExportCheck,
  moduleType,
  type Project,
  type TypeContribution,
} from '../../../kernel/index.js';
import type { Convention } from './convention.js';
import { type FilePath, PathError } from './file-path.js';
import { wrapperName } from './methods.js';

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
  // Sorted, as the files of a project are.
  for (const entry of entries) {
    const url = urlOf(entry.file);
    if (url instanceof PathError) continue;
    const known = types.get(url.path) ?? { params: url.params, calls: [] };
    types.set(url.path, known);
    const suffix = url.method === undefined ? undefined : suffixOf(entry.file);
    const call = convention.calls?.(`${moduleType(project, entry)}['default']`, suffix);
    if (call !== undefined) known.calls.push(call);
  }
  if (types.size === 0) return undefined;
  const routes: string[] = [];
  const calls: string[] = [];
  for (const path of [...types.keys()].sort()) {
    const known = types.get(path);
    const key = JSON.stringify(path);
    routes.push(member(key, objectOf(known?.params ?? [])));
    if (known && known.calls.length > 0) calls.push(member(`readonly ${key}`, known.calls.join(' & ')));
  }
  const names = [...new Set([...types.values()].flatMap(({ params }) => params))].sort();
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
    exports: () => entries.flatMap(({ file }) => exportCheck(file, urlOf(file), convention)),
  };
}

/** What a file exports: an endpoint, of the method that its name says. */
function exportCheck(
  file: string,
  url: FilePath | PathError,
  { accepts, missing, unwrapped }: Convention,
): ExportCheck[] {
  if (accepts === undefined || url instanceof PathError) return [];
  const { method } = url;
  if (method === undefined) return [{ file, accepts, missing, wrong: unwrapped }];
  const wrapper = `${wrapperName(method)}()`;
  const wrong = `is named for ${method}, and has a default export that is not made by ${wrapper}. Wrap the handler in ${wrapper}, or rename the file.`;
  return [{ file, accepts: `${accepts}<'${method}'>`, missing, wrong }];
}

/** `get` of `users/[id].get.ts`. */
function suffixOf(file: string): string {
  const end = file.lastIndexOf('.');
  return file.slice(file.lastIndexOf('.', end - 1) + 1, end);
}

const member = (key: string, type: string): string => `    ${key}: ${type};\n`;

const objectOf = (params: readonly string[]): string =>
  params.length === 0 ? '{}' : `{ ${params.map((param) => `${param}: string`).join('; ')} }`;

const declaration = (name: string, members: readonly string[]): string =>
  members.length === 0 ? '' : `  interface ${name} {\n${members.join('')}  }\n`;
