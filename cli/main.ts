import { resolve } from 'node:path';
import type { OpenOptions } from '../contributions/index.js';
import { attributeErrors, BootError, type Problem } from '../kernel/index.js';
import { framesOf } from '../loader/index.js';
import {
  additionsTo,
  hasUnknownFlag,
  isExtensible,
  isOfPackage,
  type ParsedArguments,
  parse,
  parseArguments,
  printHelp,
  printVersion,
  unknownCommand,
  withFlags,
} from './command-line.js';
import { COMMANDS } from './commands/index.js';
import { UsageError } from './flags.js';
import { openSources, pathsOf, rootOf, runFor } from './project.js';
import { describeAlone, listProblems } from './terminal/problems.js';

/** Run the command line `argv`, like `process.argv`. Reports failures on stderr and sets the exit code; the caller ends the process. */
export async function main(argv: readonly string[]): Promise<void> {
  const given = parseArguments(argv);
  try {
    await runCommand(argv, given);
  } catch (thrown) {
    report(thrown, given);
    if (isOfPackage(given.name)) {
      process.exitCode = 2;
      if (given.isJson) console.log(errorsAsJson(thrown));
    }
    process.exitCode ||= 1;
  }
}

async function runCommand(argv: readonly string[], given: ParsedArguments): Promise<void> {
  const { name, help, version, dir } = given;
  const builtin = COMMANDS.find((command) => command.name === name);
  if (version && !help && (name === undefined || builtin)) return printVersion();

  // Commands that need no config do not import it.
  const isKnown =
    builtin !== undefined && !(isExtensible(builtin) && (help || hasUnknownFlag(builtin, given)));
  const found = isKnown ? undefined : await (await import('./plugin-commands.js')).pluginCommands(dir);
  const extended = builtin && found && withFlags(builtin, additionsTo(builtin.name, found.plugins));
  const own = COMMANDS.map((one) => (one === builtin ? (extended ?? one) : one));
  const commands = [...own, ...(found?.commands ?? [])];
  const added = found?.commands.find((one) => one.name === name);
  const command = extended ?? builtin ?? added;
  if (name !== undefined && !command) {
    // A broken config is why the command isn't known.
    if (isOfPackage(name) && found?.failure) throw found.failure;
    const { disabledCommand } = await import('./plugin-commands.js');
    const disabled = dir === undefined || found?.failure ? undefined : await disabledCommand(dir, name);
    const message = disabled ?? unknownCommand(name, commands).message;
    throw new UsageError([message, found?.missing].filter(Boolean).join('\n'), 'FWK601');
  }
  if (!command || help) {
    printHelp(commands, command?.name);
    if (found?.missing !== undefined) console.error(found.missing);
    if (!help) throw new UsageError('Give a command.', 'FWK601');
    return;
  }
  if (version) return printVersion();
  const { flags, operands } = parse(argv, given, command, found?.missing);
  const paths = () => pathsOf(flags);
  const open = async (options?: OpenOptions) =>
    added && !options ? added.kernel : openSources(paths(), runFor(command.name, options ?? {}));
  const serve = async (options?: OpenOptions) => {
    const { serveSources } = await import('./serve-sources.js');
    return serveSources(() => openSources(paths(), runFor(command.name, { ...options, isSilent: true })));
  };
  const run = { flags, operands, paths, open, serve };
  const runNow = async () => (await command.load()).run(run);
  const frames = framesOf(resolve(dir ?? '.'));
  await (added ? attributeErrors(added.plugin, `command "${name}"`, frames, runNow)() : runNow());
}

/** The JSON that `fwk prove --json` and its like print instead of a report. */
function errorsAsJson(thrown: unknown): string {
  const problems: readonly Partial<Problem>[] =
    thrown instanceof BootError ? thrown.problems : [Object(thrown)];
  const errors = problems.map(({ code, file, message }) => ({ code, file, message }));
  return JSON.stringify({ version: 1, errors }, null, 2);
}

/** User mistakes are reported in a sentence each; internal errors keep their stack trace. */
function report(thrown: unknown, given: ParsedArguments): void {
  if (thrown instanceof UsageError) return console.error(describeAlone(thrown));
  if (!(thrown instanceof BootError)) return console.error(thrown);
  const [first, ...others] = thrown.problems;
  if (first && first.file === undefined && others.length === 0) return console.error(describeAlone(first));
  console.error(listProblems(thrown, resolve(rootOf(given.dir))));
}
