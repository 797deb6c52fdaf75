import type { Output } from '../../kernel/index.js';

/** The name of the server in the files of editors. */
const NAME = 'fwk-dev';

/**
 * The files in which editors read which MCP servers there are, with the dev page of the project as one of them. What is there
 * of that name, and all others, stays as it is.
 */
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
