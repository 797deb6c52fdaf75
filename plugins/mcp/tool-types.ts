import { type Entry, moduleType, type Project } from '../../kernel/index.js';
import { NameError, nameOf } from './table/names.js';

const TOOLS = 'mcp/tools/';

/** The members of `Tools`: what files of `mcp/tools/` export, by the names that their paths give. '' where there is none. */
export function toolTypes(project: Project): string {
  const members = project
    .files('mcp')
    .map((entry) => member(project, entry))
    .join('');
  return members === '' ? '' : `  interface Tools {\n${members}  }\n`;
}

/** '' of other files, and of a path that can be no name, which is left to the boot check. */
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
