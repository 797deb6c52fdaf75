import { builtins } from '../app/builtins.js';
import { type BaseConfig, findConfig, loadConfig } from '../app/config.js';
import { describeWithCode } from '../app/report-problems.js';
import type { Command } from '../contributions/index.js';
import { BootError, type Kernel, type Plugin } from '../kernel/index.js';
import { sourceLoader } from '../loader/index.js';
import { openSources, pathsOf } from './project.js';

export interface PluginCommands {
  readonly commands: readonly PluginCommand[];
  readonly plugins: ReadonlyMap<string, Plugin>;
  readonly missing: string | undefined;
  readonly failure?: BootError;
}

export interface PluginCommand extends Command {
  readonly plugin: string;
  readonly kernel: Kernel;
}

/** Explains that a command belongs to a plugin that is disabled; undefined if there is no such plugin. */
export async function disabledCommand(directory: string, command: string): Promise<string | undefined> {
  const paths = pathsOf({ dir: directory });
  const { file, value } = await loadConfig(paths, sourceLoader(paths.root));
  const { plugins = [], disable = [] } = value as BaseConfig;
  const owner = plugins.find(
    ({ name, commands = [] }) => disable.includes(name) && commands.some((one) => one.name === command),
  );
  return (
    owner &&
    `"${command}" is a command of plugin "${owner.name}", which ${file} disables. Remove "${owner.name}" from "disable".`
  );
}

export async function pluginCommands(directory: string | undefined): Promise<PluginCommands> {
  try {
    const paths = directory === undefined ? undefined : pathsOf({ dir: directory });
    // Built-in plugins add flags, but no commands.
    if (!paths || findConfig(paths.source) === undefined)
      return { commands: [], plugins: new Map(builtins().map((one) => [one.name, one])), missing: undefined };
    const kernel = await openSources(paths);
    const commands = [...kernel.plugins.values()].flatMap(({ name: plugin, commands = [] }) =>
      commands.map((command) => ({ ...command, load: () => command.load(), plugin, kernel })),
    );
    return { commands, plugins: kernel.plugins, missing: undefined };
  } catch (thrown) {
    if (!(thrown instanceof BootError)) throw thrown;
    const [first] = thrown.problems;
    const why = first ? describeWithCode(first) : thrown.message;
    return {
      commands: [],
      plugins: new Map(),
      missing: `The commands of plugins are not known: ${why}`,
      failure: thrown,
    };
  }
}
