import {
  attributeErrors,
  type Command,
  type CommandAddition,
  type CommandRun,
  type Flags,
  type Plugin,
  type Resolved,
} from '../kernel/internal.js';

/** What a plugin adds to a command, with the plugin's name. */
export interface Added extends CommandAddition {
  readonly plugin: string;
}

/** Whether plugins may add to a command. */
export const isExtensible = ({ name }: Command): boolean => name === 'routes' || name === 'build';

/** What `plugins` add to the command `name`. */
export const additionsTo = (name: string, plugins: ReadonlyMap<string, Plugin>): readonly Added[] =>
  [...plugins.values()].flatMap(({ name: plugin, additions = [] }) =>
    additions
      .filter(({ command }) => command === name)
      .map((addition) => ({ ...addition, load: () => addition.load(), plugin })),
  );

/** `command`, with the flags of `added` beside its own. */
export const withFlags = (command: Command, added: readonly Added[]): Command => ({
  ...command,
  load: () => command.load(),
  flags: [...(command.flags ?? []), ...added.flatMap(({ flag }) => flag ?? [])],
});

/** Those of `added` that run: the ones without a flag, and the ones whose flag is given. */
export const askedFor = (added: readonly Added[], flags: Flags): readonly Added[] =>
  added.filter(({ flag }) => flag === undefined || (flags[flag.name] ?? false) !== false);

/** Run an addition. An error of its own is reported as the plugin's. */
export async function runAddition(
  { plugin, command, load }: Added,
  run: CommandRun,
  resolved: Resolved,
): Promise<void> {
  const runNow = async () => (await load()).run(run, resolved);
  await attributeErrors(plugin, `command "${command}"`, run.paths().root, runNow)();
}
