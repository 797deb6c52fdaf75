import { readFileSync } from 'node:fs';
import mri from 'mri';
import sade from 'sade';
import { similar } from '../app/similar.js';
import type { Command, CommandAddition, CommandRun, Flag, Flags } from '../contributions/index.js';
import { attributeErrors, type Plugin, type Resolved } from '../kernel/index.js';
import { framesOf } from '../loader/index.js';
import { checkFlags, DIR, UsageError } from './flags.js';

export interface ParsedArguments {
  readonly name: string | undefined;
  readonly help: boolean;
  readonly version: boolean;
  readonly dir: string | undefined;
  readonly flags: readonly string[];
  /** Whether the output must be JSON. */
  readonly isJson: boolean;
}

export function parseArguments(argv: readonly string[]): ParsedArguments {
  // No prototype: mri would read inherited properties as aliases of a flag.
  const alias: { [name: string]: string } = Object.assign(Object.create(null), { h: 'help', v: 'version' });
  const given = mri(argv.slice(2), { alias, string: [DIR.name] });
  const dir: unknown = given[DIR.name] ?? DIR.fallback;
  return {
    name: given._[0],
    help: Boolean(given.help),
    version: Boolean(given.version),
    dir: typeof dir === 'string' && dir !== '' ? dir : undefined,
    flags: Object.keys(given),
    isJson: given.json !== undefined || given.format === 'json',
  };
}

/** sade reads a second word of a flag as its short form, so the value's name goes into the description. */
const described = ({ description, value, isOptional, of }: Flag): string =>
  `${value === undefined ? '' : isOptional ? `[${value}] ` : `<${value}> `}${of === undefined ? '' : `With --${of}: `}${description}`;

/** `isHelp`: include the operands of commands. Otherwise sade would check them and print its own messages. */
function program(commands: readonly Command[], isHelp: boolean) {
  const prog = sade('fwk').version(version());
  prog.option(`--${DIR.name}`, described(DIR), DIR.fallback);
  for (const { name, description, flags = [], operands } of commands) {
    prog.command(isHelp && operands !== undefined ? `${name} ${operands}` : name, description);
    for (const flag of flags) prog.option(`--${flag.name}`, described(flag), flag.fallback);
    prog.action(() => {});
  }
  return prog;
}

export const printHelp = (commands: readonly Command[], name?: string): void =>
  program(commands, true).help(name);

export const printVersion = (): void => console.log(`fwk, ${version()}`);

/** Packages with plugins that add commonly needed commands. */
const COMMANDS_OF_PACKAGES: ReadonlyMap<string, string> = new Map(
  ['prove', 'impact', 'reach'].map((name) => [name, 'prove']),
);

/** Whether a command comes with a package. Its exit code is 2 if it could not run, and `--json` then prints why. */
export const isOfPackage = (name: string | undefined): boolean => COMMANDS_OF_PACKAGES.has(name ?? '');

export function unknownCommand(name: string, commands: readonly Command[]): UsageError {
  const plugin = COMMANDS_OF_PACKAGES.get(name);
  if (plugin !== undefined)
    return new UsageError(
      `fwk ${name} comes with a package: install @fwkit/${plugin}, and add plugins: [${plugin}()] to fwk.config, with ${plugin} of '@fwkit/${plugin}'.`,
      'FWK601',
    );
  const names = commands.map((command) => command.name);
  return new UsageError(
    `There is no command "${name}".${meaning(similar(name, names))} fwk --help lists all.`,
    'FWK601',
  );
}

const meaning = (meant: string | undefined): string =>
  meant === undefined ? '' : ` Did you mean "${meant}"?`;

export const hasUnknownFlag = ({ flags = [] }: Command, given: ParsedArguments): boolean =>
  given.flags.some((flag) => !ALWAYS_KNOWN.includes(flag) && !flags.some(({ name }) => name === flag));

/** `_` holds the arguments that are not flags. */
const ALWAYS_KNOWN = ['_', DIR.name, 'help', 'h', 'version', 'v'];

/** The flags and operands of `argv`. Throws a UsageError for unknown ones. `missing` explains why the flags of plugins are unknown. */
export function parse(
  argv: readonly string[],
  given: ParsedArguments,
  command: Command,
  missing?: string,
): { flags: Flags; operands: readonly string[] } {
  const known = [...(command.flags ?? []), DIR];
  const unknown = (flag: string): never => {
    const names = known.map(({ name }) => name);
    const meant = similar(flag.replace(/^-+/, ''), names);
    const advice = meant === undefined ? ` fwk ${command.name} --help lists them.` : meaning(`--${meant}`);
    const message = `There is no flag "${flag}" for fwk ${command.name}.${advice}`;
    throw new UsageError([message, missing].filter(Boolean).join('\n'), 'FWK602');
  };
  const inherited = given.flags.find((flag) => flag in Object.prototype);
  if (inherited !== undefined) unknown(`--${inherited}`);
  const switches = known.filter(({ value }) => value === undefined).map(({ name }) => `--${name}`);
  const args = command.operands === undefined ? [...argv] : switchesLast(argv, switches);
  const string = known.filter(({ value }) => value !== undefined).map(({ name }) => name);
  const parsed = program([command], false).parse(args, { lazy: true, unknown, string });
  const { _: operands = [], ...flags } = (parsed?.args.at(-1) ?? {}) as Flags & { _?: readonly string[] };
  checkFlags(flags, known, given.flags);
  checkOperands(command, operands);
  return { flags, operands };
}

/** Rewrites `--force name` to `name --force`, because the parser would read the word after a switch as its value. */
function switchesLast(argv: readonly string[], switches: readonly string[]): string[] {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const isSwitch = (word: string, index: number) => index < end && switches.includes(word);
  const others = argv.filter((word, index) => index < end && !isSwitch(word, index));
  return [...others, ...argv.filter(isSwitch), ...argv.slice(end)];
}

function checkOperands({ name, operands: usage }: Command, operands: readonly string[]): void {
  if (usage === undefined && operands.length > 0)
    throw new UsageError(
      `fwk ${name} takes no argument "${operands[0]}". Name a project with --dir.`,
      'FWK604',
    );
  const words = usage?.split(/\s+/) ?? [];
  const missing = words.filter((word) => word.startsWith('<'))[operands.length];
  if (missing !== undefined)
    throw new UsageError(`fwk ${name} needs ${missing}: fwk ${name} ${usage}.`, 'FWK604');
  const isOpen = words.at(-1)?.includes('...') ?? false;
  if (operands.length > words.length && !isOpen)
    throw new UsageError(
      `fwk ${name} takes no argument "${operands[words.length]}": fwk ${name} ${usage}.`,
      'FWK604',
    );
}

interface PluginAddition extends CommandAddition {
  readonly plugin: string;
}

export const isExtensible = ({ name }: Command): boolean => name === 'routes' || name === 'build';

export const additionsTo = (name: string, plugins: ReadonlyMap<string, Plugin>): readonly PluginAddition[] =>
  [...plugins.values()].flatMap(({ name: plugin, additions = [] }) =>
    additions
      .filter(({ command }) => command === name)
      .map((addition) => ({ ...addition, load: () => addition.load(), plugin })),
  );

export const withFlags = (command: Command, added: readonly PluginAddition[]): Command => ({
  ...command,
  load: () => command.load(),
  flags: [...(command.flags ?? []), ...added.flatMap(({ flag }) => flag ?? [])],
});

/** The steps in `added` that run: steps without a flag, and steps whose flag is given. */
export const selectedSteps = (added: readonly PluginAddition[], flags: Flags): readonly PluginAddition[] =>
  added.filter(({ flag }) => flag === undefined || (flags[flag.name] ?? false) !== false);

export async function runAddition(
  { plugin, command, load }: PluginAddition,
  run: CommandRun,
  resolved: Resolved,
): Promise<void> {
  const runNow = async () => (await load()).run(run, resolved);
  await attributeErrors(plugin, `command "${command}"`, framesOf(run.paths().root), runNow)();
}

export function version(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
