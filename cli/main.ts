import { resolve } from 'node:path';
import { closest } from 'fastest-levenshtein';
import mri from 'mri';
import sade from 'sade';
import { BootError } from '../kernel/internal.js';
import { COMMANDS, type Command, DIR, type Flag, type Flags } from './commands/index.js';
import { version } from './package-version.js';
import { listProblems } from './terminal/report.js';

/** A command line that cannot be run. */
class UsageError extends Error {}

/** sade takes a second word of a flag for its short form, so the value's name goes into the description. */
const described = ({ description, value }: Flag): string =>
  value === undefined ? description : `<${value}> ${description}`;

function program() {
  const prog = sade('fwk').version(version());
  prog.option(`--${DIR.name}`, described(DIR), DIR.fallback);
  for (const { name, description, flags } of COMMANDS) {
    prog.command(name, description);
    for (const flag of flags) prog.option(`--${flag.name}`, described(flag), flag.fallback);
    prog.action(() => {});
  }
  return prog;
}

/** Parse the command line; undefined when the help or the version was asked for, and has been printed. */
function parse(argv: string[]): { command: Command; flags: Flags } | undefined {
  // Without a prototype: mri would take what it finds there for other names of a flag.
  const alias: { [name: string]: string } = Object.assign(Object.create(null), { h: 'help', v: 'version' });
  const given = mri(argv.slice(2), { alias });
  const name = given._[0];
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (name !== undefined && !command) {
    const nearest = closest(
      name,
      COMMANDS.map((candidate) => candidate.name),
    );
    throw new UsageError(`There is no command "${name}". Did you mean "${nearest}"? fwk --help lists all.`);
  }
  if (!command && !given.help && !given.version) {
    program().help();
    throw new UsageError('Give a command.');
  }

  const known = [...(command?.flags ?? []), DIR];
  const unknown = (flag: string) => {
    const nearest = closest(
      flag.replace(/^-+/, ''),
      known.map((candidate) => candidate.name),
    );
    throw new UsageError(`There is no flag "${flag}" for fwk ${name}. Did you mean "--${nearest}"?`);
  };
  const inherited = Object.keys(given).find((flag) => flag in Object.prototype);
  if (command && inherited !== undefined) unknown(`--${inherited}`);
  const parsed = program().parse(argv, { lazy: true, unknown });
  if (!command || !parsed) return undefined;
  const flags = readFlags(parsed.args.at(-1), known);
  if (Array.isArray(flags._) && flags._.length > 0)
    throw new UsageError(`fwk ${name} takes no argument "${flags._[0]}". Name a project with --dir.`);
  return { command, flags };
}

/** Refuse a flag without its value, a switch with one, and what is given twice. */
function readFlags(parsed: unknown, known: readonly Flag[]): Flags {
  const flags = parsed as Flags;
  for (const { name, value } of known) {
    const given = flags[name];
    if (Array.isArray(given)) throw new UsageError(`--${name} is given twice. Give it once.`);
    if (value !== undefined && (typeof given === 'boolean' || given === ''))
      throw new UsageError(`--${name} needs a value: --${name} <${value}>.`);
    if (value === undefined && given !== undefined && typeof given !== 'boolean')
      throw new UsageError(`--${name} takes no value, not "${given}".`);
  }
  return flags;
}

/** People's mistakes are told in a sentence each; what is ours to mend keeps its stack. */
function tell(thrown: unknown, directory: string): void {
  if (thrown instanceof UsageError) return console.error(thrown.message);
  if (!(thrown instanceof BootError)) return console.error(thrown);
  const [first, ...others] = thrown.problems;
  if (first?.file === undefined && others.length === 0) return console.error(thrown.message);
  console.error(listProblems(thrown, directory));
}

let directory = '.';
try {
  const parsed = parse(process.argv);
  if (parsed) {
    directory = String(parsed.flags.dir);
    await (await parsed.command.load()).run(parsed.flags);
  }
} catch (thrown) {
  tell(thrown, resolve(directory));
  process.exitCode = 1;
}
// What a project left open must not keep a finished command alive. The callback comes when stdout has been written.
process.stdout.write('', () => process.exit());
