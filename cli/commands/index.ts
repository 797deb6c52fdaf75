import * as routes from './routes.js';
import * as types from './types.js';

/** One flag of a command. A flag without `value` is a switch. */
export interface Flag {
  readonly name: string;
  /** What stands for its value in the help: `--port <n>`. */
  readonly value?: string;
  readonly description: string;
  /** A text: a number here would have the parser read numbers in its own way. */
  readonly fallback?: string;
}

/** What the user gave, by flag name. */
export type Flags = Readonly<Record<string, unknown>>;

/** A command is a lifecycle run of the kernel. One that brings packages of its own is loaded when it is called. */
export interface Command {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly Flag[];
  load(): Promise<{ run(flags: Flags): Promise<void> }>;
}

const flag = (name: string, description: string, more: Omit<Flag, 'name' | 'description'> = {}): Flag => ({
  name,
  description,
  ...more,
});

/** Accepted by every command. */
export const DIR = flag('dir', 'Project root', { value: 'path', fallback: '.' });

export const COMMANDS: readonly Command[] = [
  {
    name: 'dev',
    description: 'Run the server, and reload it when a file changes.',
    flags: [
      flag('port', 'Port to listen on; 0 picks a free one', { value: 'n', fallback: '3000' }),
      flag('host', 'Host name or address to listen on', { value: 'h', fallback: 'localhost' }),
    ],
    load: () => import('./dev.js'),
  },
  {
    name: 'build',
    description:
      'Generate the types, compile, check what was compiled, and write down what makes its start short.',
    flags: [],
    load: () => import('./build.js'),
  },
  {
    name: 'types',
    description: 'Generate .fwk/types.d.ts from file paths. Executes no file of the project but fwk.config.',
    flags: [],
    load: async () => types,
  },
  {
    name: 'routes',
    description: 'Print the route table, one route per line.',
    flags: [flag('verbose', 'Print the file and the middlewares of each route too')],
    load: async () => routes,
  },
  {
    name: 'mcp',
    description: 'Print the tools, resources and prompts for MCP clients, or serve them over stdio.',
    flags: [flag('stdio', 'Serve over stdin and stdout, until the client goes')],
    load: () => import('./mcp.js'),
  },
  {
    name: 'scaffold',
    description: 'Create a project: its directories, a starter route and service, scripts.',
    flags: [
      flag('js', 'JavaScript: the directories at the project root, no tsconfig.json'),
      flag('force', 'Overwrite files that are there'),
    ],
    load: () => import('./scaffold.js'),
  },
  {
    name: 'skills',
    description: 'Install guidance on the conventions of this project for AI editors.',
    flags: [
      flag('ide', 'Editors to write for: claude, cursor, windsurf, codex', { value: 'a,b' }),
      flag('force', 'Overwrite files that are there'),
    ],
    load: () => import('./skills.js'),
  },
];
