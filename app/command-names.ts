/** The words of `fwk` itself. A plugin's command cannot have one of them. */
export const COMMAND_NAMES = [
  'dev',
  'build',
  'test',
  'types',
  'routes',
  'mcp',
  'scaffold',
  'skills',
  'generate',
  'plugin',
  'docs',
  'doctor',
  'repl',
] as const;

export type CommandName = (typeof COMMAND_NAMES)[number];
