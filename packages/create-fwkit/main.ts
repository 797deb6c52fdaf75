import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { type Manager, makeProject, managerOf, Programs } from './project.js';
import { type Target, targetOf } from './target.js';
import { HELP, readUsage, type Usage, UsageError } from './usage.js';

const DEFAULT_NAME = 'my-app';

/** Make a project as `args` say, and set the exit status. People's mistakes are a sentence on stderr. */
export async function main(args: readonly string[]): Promise<void> {
  try {
    const usage = readUsage(args);
    if (usage.help) return console.log(HELP);
    if (usage.version) return console.log(version());
    process.exitCode = await create(usage);
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    console.error(thrown.message);
    process.exitCode = 1;
  }
}

async function create(usage: Usage): Promise<number> {
  const target = await chosenTarget(usage);
  if (!target) return INTERRUPTED;
  const manager = managerOf(process.env);
  const programs = new Programs();
  await makeProject(target, usage.js, programs);
  const git = usage.git ? await makeRepository(target, programs) : true;
  const installed = usage.install && (await install(target, manager, programs));
  if (programs.signal) return INTERRUPTED;
  console.log(nextSteps(target, usage, manager, installed));
  return git && (installed || !usage.install) ? 0 : 1;
}

/** The status of what a person has interrupted. */
const INTERRUPTED = 130;

/** Where to make the project; undefined where the question was not answered. */
async function chosenTarget({ folder, name, yes }: Usage): Promise<Target | undefined> {
  const given = folder ?? (name === undefined ? undefined : name.replace(/^@[^/]*\//, ''));
  if (given !== undefined) return targetOf(given, name);
  if (yes) return targetOf(DEFAULT_NAME, undefined);
  if (!process.stdin.isTTY) throw new UsageError('Give the name of the project: npm create fwkit my-app.');
  return ask();
}

/** The one question. It is asked again where the answer will not do. */
async function ask(): Promise<Target | undefined> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const ended = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)));
  try {
    for (;;) {
      const answer = await Promise.race([
        terminal.question(`Name of the project (${DEFAULT_NAME}): `),
        ended,
      ]);
      if (answer === undefined) return undefined;
      try {
        return targetOf(answer.trim() || DEFAULT_NAME, undefined);
      } catch (thrown) {
        if (!(thrown instanceof UsageError)) throw thrown;
        console.error(thrown.message);
      }
    }
  } finally {
    terminal.close();
  }
}

/** Whether the folder is a git repository now. */
async function makeRepository({ folder, shown }: Target, programs: Programs): Promise<boolean> {
  const why = await programs.run(['git', 'init', '--quiet'], folder).then(
    ({ status, output }) => (status === 0 ? undefined : output.trim()),
    (thrown: Error) => thrown.message,
  );
  if (why !== undefined) console.error(`${shown} is no git repository yet: ${why}. Run git init there.`);
  return why === undefined;
}

/** Whether the packages are installed now. */
async function install({ folder, shown }: Target, manager: Manager, programs: Programs): Promise<boolean> {
  if (programs.signal) return false;
  const why = await programs.run(manager.installer, folder, true).then(
    ({ status }) => (status === 0 ? undefined : `${manager.install} ended with status ${status}`),
    (thrown: Error) => `${manager.install} cannot be run: ${thrown.message}`,
  );
  if (why !== undefined) console.error(`${shown} is made, and its packages are not installed: ${why}.`);
  return why === undefined;
}

function nextSteps(
  { folder, shown }: Target,
  { js }: Usage,
  { install, script }: Manager,
  installed: boolean,
): string {
  const test = script === 'npm run' ? 'npm test' : `${script} test`;
  const steps = [
    [`${script} dev`, 'serves it at http://localhost:3000/, and reloads what you save'],
    [test, 'runs its tests'],
    [`${script} check`, js ? 'finds mistakes' : 'checks its types'],
  ];
  const width = Math.max(...steps.map(([command = '']) => command.length));
  return [
    `\n${shown} is there. Next:`,
    ...(folder === process.cwd() ? [] : [`  cd ${/\s/.test(shown) ? `"${shown}"` : shown}`]),
    ...(installed ? [] : [`  ${install}`]),
    ...steps.map(([command = '', what]) => `  ${command.padEnd(width)}  ${what}`),
  ].join('\n');
}

function version(): string {
  const file = new URL('../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
