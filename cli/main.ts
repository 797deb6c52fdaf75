import { resolve } from 'node:path';
import type { CommandRun, OpenOptions } from '../contributions/index.js';
import { attributeErrors, BootError } from '../kernel/index.js';
import { framesOf } from '../loader/index.js';
import {
  additionsTo,
  hasUnknownFlag,
  isExtensible,
  parse,
  printHelp,
  printVersion,
  readGiven,
  unknownCommand,
  withFlags,
} from './command-line.js';
import { COMMANDS } from './commands/index.js';
import { UsageError } from './flags.js';
import type { PluginCommand } from './plugin-commands.js';
import { openSources, pathsOf, runFor } from './project.js';
import { describeAlone, listProblems } from './terminal/problems.js';

const given = readGiven(process.argv);

async function main(): Promise<void> {
  const { name, help, version, dir } = given;
  const builtin = COMMANDS.find((command) => command.name === name);
  if (version && !help && (name === undefined || builtin)) return printVersion();

  // The config of a project is not imported for what is known without it.
  const isKnown =
    builtin !== undefined && !(isExtensible(builtin) && (help || hasUnknownFlag(builtin, given)));
  const found = isKnown ? undefined : await (await import('./plugin-commands.js')).pluginCommands(dir);
  const extended = builtin && found && withFlags(builtin, additionsTo(builtin.name, found.plugins));
  const own = COMMANDS.map((one) => (one === builtin ? (extended ?? one) : one));
  const commands = [...own, ...(found?.commands ?? [])];
  const added = found?.commands.find((one) => one.name === name);
  const command = extended ?? builtin ?? added;
  if (name !== undefined && !command) {
    const { message } = unknownCommand(name, commands);
    throw new UsageError([message, found?.missing].filter(Boolean).join('\n'), 'FWK601');
  }
  if (!command || help) {
    printHelp(commands, command?.name);
    if (found?.missing !== undefined) console.error(found.missing);
    if (!help) throw new UsageError('Give a command.', 'FWK601');
    return;
  }
  if (version) return printVersion();
  const { flags, operands } = parse(process.argv, given, command, found?.missing);
  const paths = () => pathsOf(flags);
  const open = async (options?: OpenOptions) =>
    added && !options ? added.kernel : openSources(paths(), runFor(command.name, options ?? {}));
  const serve = async (options?: OpenOptions) => {
    const { serveSources } = await import('./serve-sources.js');
    return serveSources(() => openSources(paths(), runFor(command.name, options ?? {})));
  };
  const run = { flags, operands, paths, open, serve };
  if (added) await runOfPlugin(added, run);
  else await (await command.load()).run(run);
}

async function runOfPlugin({ name, plugin, load }: PluginCommand, run: CommandRun): Promise<void> {
  const runNow = async () => (await load()).run(run);
  await attributeErrors(plugin, `command "${name}"`, framesOf(resolve(given.dir ?? '.')), runNow)();
}

/** People's mistakes are reported in a sentence each; what is ours to fix keeps its stack. */
function report(thrown: unknown): void {
  if (thrown instanceof UsageError) return console.error(describeAlone(thrown));
  if (!(thrown instanceof BootError)) return console.error(thrown);
  const [first, ...others] = thrown.problems;
  if (first && first.file === undefined && others.length === 0) return console.error(describeAlone(first));
  console.error(listProblems(thrown, resolve(given.dir ?? '.')));
}

try {
  await main();
} catch (thrown) {
  report(thrown);
  // A command of which the result has shades has set its own.
  process.exitCode ||= 1;
}
// Resources that a project left open must not keep a finished command alive. The callback comes when stdout has been written.
process.stdout.write('', () => process.exit());
