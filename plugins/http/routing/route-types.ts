import { type ExportCheck, moduleType, type TypeContribution } from '../../../contributions/index.js';
import type { Entry, Project } from '../../../kernel/index.js';
import type { Convention } from './convention.js';
import { type FilePath, PathError } from './file-path.js';
import { wrapperName } from './route.js';

interface PathNaming {
  readonly directory: string;
  readonly mount: string;
  readonly convention: Convention;
  urlOf(file: string): FilePath | PathError;
}

interface PathFile {
  readonly entry: Entry;
  readonly url: FilePath;
  /** The previous file of the same path. Most paths have one file, so an array per path would dominate the allocations. */
  readonly before: PathFile | undefined;
}

/**
 * Generate one member of `Routes` and of `Paths` per path, and one of `ParamNames` per parameter, sorted, from the file paths
 * alone. The boot check reports files with an invalid path.
 */
export function routeTypes(
  project: Project,
  entries: readonly Entry[],
  naming: PathNaming,
): TypeContribution | undefined {
  if (entries.length === 0) return undefined;
  const { convention, urlOf } = naming;
  return {
    ...declarationsOf(project, entries, naming),
    exports: () => entries.flatMap(({ file }) => exportCheck(file, urlOf(file), convention)),
  };
}

function declarationsOf(
  project: Project,
  entries: readonly Entry[],
  { urlOf, convention }: PathNaming,
): Pick<TypeContribution, 'imports' | 'declarations'> {
  const byPath = new Map<string, PathFile>();
  // Entries are sorted, because the files of a project are.
  for (const entry of entries) {
    const url = urlOf(entry.file);
    if (!(url instanceof PathError)) byPath.set(url.path, { entry, url, before: byPath.get(url.path) });
  }
  const { guards, imports } = guardsIn(project);
  let routes = '';
  let paths = '';
  const names = new Set<string>();
  for (const path of [...byPath.keys()].sort()) {
    const last = byPath.get(path) as PathFile;
    const { params } = last.url;
    const key = JSON.stringify(path);
    routes += `    ${key}: ${objectOf(params)};\n`;
    const calls = callsOf(project, last, convention, guards);
    if (calls !== '') paths += `    readonly ${key}: ${calls};\n`;
    for (const param of params) names.add(param);
  }
  return {
    imports: [
      ...(paths.includes('ByMethod<') ? ["import type { ByMethod } from 'fwkit';"] : []),
      ...(paths.includes(`?: ${GLOBAL_GUARDS}`) ? imports : []),
    ],
    declarations:
      declaration('Routes', routes) +
      declaration('Paths', paths) +
      declaration(
        'ParamNames',
        [...names]
          .sort()
          .map((name) => `    ${name}: string;\n`)
          .join(''),
      ),
  };
}

function callsOf(project: Project, last: PathFile, convention: Convention, guards: readonly Guard[]): string {
  let calls = '';
  for (let file: PathFile | undefined = last; file; file = file.before) {
    const endpoint = `${moduleType(project, file.entry)}['default']`;
    const call = convention.calls?.(`${endpoint}${guardsOf(file.entry, guards)}`, file.url.suffix) ?? '';
    calls = calls === '' ? call : `${call} & ${calls}`;
  }
  return calls;
}

/** The type of the middlewares that run for every route, in the generated file. */
const GLOBAL_GUARDS = 'Guards';

/** A middleware whose `errors`, if it exports any, the typed client knows for the routes below its directory. */
interface Guard {
  readonly directory: string;
  readonly type: string;
}

function guardsIn(project: Project): { readonly guards: readonly Guard[]; readonly imports: string[] } {
  const types = project.files('middleware').map((entry) => moduleType(project, entry));
  const below = project.files('directory-middleware').map((entry) => ({
    directory: entry.file.slice(0, entry.file.lastIndexOf('/') + 1),
    type: moduleType(project, entry),
  }));
  if (types.length === 0) return { guards: below, imports: [] };
  return {
    guards: [{ directory: '', type: GLOBAL_GUARDS }, ...below],
    imports: [`type ${GLOBAL_GUARDS} = ${types.join(' | ')};`],
  };
}

function guardsOf({ file }: Entry, guards: readonly Guard[]): string {
  if (guards.length === 0) return '';
  const types = guards.filter(({ directory }) => file.startsWith(directory)).map(({ type }) => type);
  return types.length === 0 ? '' : ` & { readonly '~guards'?: ${types.join(' | ')} }`;
}

function exportCheck(
  file: string,
  url: FilePath | PathError,
  { accepts, missing, unwrapped }: Convention,
): ExportCheck[] {
  if (accepts === undefined || url instanceof PathError) return [];
  const { method } = url;
  if (method === undefined) return [{ file, accepts, missing, wrong: unwrapped }];
  const wrapper = `${wrapperName(method)}()`;
  const wrong = `is named for ${method}, but its default export is not made by ${wrapper}. Wrap the handler in ${wrapper}, or rename the file.`;
  return [{ file, accepts: `${accepts}<'${method}'>`, missing, wrong }];
}

function objectOf(params: readonly string[]): string {
  let members = '';
  for (const param of params) members += `${members === '' ? '{ ' : '; '}${param}: string`;
  return members === '' ? '{}' : `${members} }`;
}

const declaration = (name: string, members: string): string =>
  members === '' ? '' : `  interface ${name} {\n${members}  }\n`;
