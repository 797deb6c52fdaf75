import { type ExportCheck, moduleType } from '../../contributions/index.js';
import type { Entry, Project } from '../../kernel/index.js';
import { kindOf, NameError, nameOf } from './table/names.js';

const TOOLS = 'mcp/tools/';

/** The members of `Tools`: each tool's type, by the name derived from its path. '' without tools. */
export function toolTypes(project: Project): string {
  const members = project
    .files('mcp')
    .flatMap((entry) => member(project, entry))
    .join('');
  return members === '' ? '' : `  interface Tools {\n${members}  }\n`;
}

/** Returns '' for files elsewhere, and for paths without a valid name, which the boot check reports. */
function member(project: Project, entry: Entry): string {
  if (!entry.file.startsWith(TOOLS)) return '';
  try {
    const name = nameOf(entry.file.slice('mcp/'.length));
    return `    readonly ${JSON.stringify(name)}: ${moduleType(project, entry)}['default'];\n`;
  } catch (thrown) {
    if (!(thrown instanceof NameError)) throw thrown;
    return '';
  }
}

/** The message for a file whose default export is of the wrong kind. It completes "the file …". */
export const wrongExport = (kind: string): string =>
  `does not export ${kind === 'auth' ? 'an authorization' : `a ${kind}`}. Export default ${kind}({ … }) from fwkit/mcp.`;

/** The compile-time checks for `mcp/`. The boot check reports files outside its three directories. */
export const exportChecks = (entries: readonly Entry[]): ExportCheck[] =>
  entries.flatMap(({ file }) => {
    const kind = kindOf(file);
    if (kind === undefined) return [];
    return [{ file, accepts: `ReturnType<typeof import('fwkit/mcp').${kind}>`, wrong: wrongExport(kind) }];
  });
