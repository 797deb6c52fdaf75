import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BootError, type Output } from '../../kernel/index.js';

export interface Editor {
  readonly name: string;
  readonly path: string;
  /** The front matter, which an editor reads first. Without it, the guidance is a block in the file. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** When an editor reads the guidance, in plain words: not every editor reads front matter as YAML. */
const DESCRIPTION =
  'How to add and change routes, services, middlewares and pages in this fwk project. Use it for any work on its source files, with fwk commands, or with imports from fwkit.';

export const EDITORS: readonly Editor[] = [
  // The name is the name of the directory.
  { name: 'claude', path: '.claude/skills/fwk/SKILL.md', fields: { name: 'fwk', description: DESCRIPTION } },
  {
    name: 'cursor',
    path: '.cursor/rules/fwk.mdc',
    // With globs, Cursor would read it only while a matching file is open, and a new route has none.
    fields: { description: DESCRIPTION, globs: '', alwaysApply: 'true' },
  },
  {
    name: 'windsurf',
    path: '.windsurf/rules/fwk.md',
    fields: { trigger: 'always_on', description: DESCRIPTION },
  },
  { name: 'codex', path: 'AGENTS.md' },
];

/** The file of an editor. A file that was edited by hand, or that fwk did not write, is kept. */
export function outputFor({ path, fields }: Editor, guidance: string, root: string): Output {
  if (!fields) return { path, contents: guidance, ifExists: 'block' };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`.trimEnd());
  const contents = sealed(`---\n${lines.join('\n')}\n---\n\n${guidance}`);
  return { path, contents, ifExists: isOurs(join(root, path)) ? 'replace' : 'keep' };
}

function isOurs(file: string): boolean {
  try {
    return isUnchanged(readFileSync(file, 'utf8'));
  } catch {
    return false;
  }
}

/** The editors in a comma-separated list; all without one. Throws a BootError for an unknown name. */
export function selectedEditors(list: unknown): readonly Editor[] {
  if (list === undefined) return EDITORS;
  const known = EDITORS.map(({ name }) => name);
  const names = new Set(
    String(list)
      .split(',')
      .map((name) => name.trim()),
  );
  return [...names].map((name) => {
    const editor = EDITORS.find((one) => one.name === name);
    if (editor) return editor;
    const message = `--ide has no editor "${name}". The editors are ${known.join(', ')}.`;
    throw new BootError({ message, code: 'FWK603' });
  });
}

/** The name of the server in the editors' files. */
const NAME = 'fwk-dev';

/** Editors' files of MCP servers, with the project's dev page added. Existing entries stay unchanged. */
export function mcpServers(list: unknown, port: unknown): Output[] {
  const url = `http://localhost:${String(port ?? 3000)}/_fwk/mcp`;
  const files: Readonly<Record<string, readonly [path: string, config: object]>> = {
    claude: ['.mcp.json', { mcpServers: { [NAME]: { type: 'http', url } } }],
    cursor: ['.cursor/mcp.json', { mcpServers: { [NAME]: { url } } }],
    codex: ['.vscode/mcp.json', { servers: { [NAME]: { type: 'http', url } } }],
  };
  const wanted = list === undefined ? Object.keys(files) : String(list).split(',');
  return Object.entries(files)
    .filter(([editor]) => wanted.some((one) => one.trim() === editor))
    .map(([, [path, config]]) => ({ path, contents: JSON.stringify(config), ifExists: 'members' }));
}

const WORDS = '<!-- fwk skills overwrites this file until you edit it:';

/** The seal at the end of a file. Formatters may add line breaks before and after it. */
const SEAL = new RegExp(`${WORDS} ([0-9a-f]{12}) -->\\s*$`);

/** The letters and digits of a text: formatters change quotes, tables, line endings and commas. */
export const wordsOf = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '');

/** `text` with a last line that reveals later edits. */
const sealed = (text: string): string => `${text}\n${WORDS} ${digest(text)} -->\n`;

/** Whether `text` is unchanged since any version of fwk wrote it. */
function isUnchanged(text: string): boolean {
  const seal = SEAL.exec(text);
  return seal !== null && digest(text.slice(0, seal.index)) === seal[1];
}

const digest = (text: string): string =>
  createHash('sha256').update(wordsOf(text)).digest('hex').slice(0, 12);
