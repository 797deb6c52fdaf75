import path from 'node:path';
import { type BaseRoute, BootError, type CommandRun, type Project, Stage } from 'fwkit/plugin';
import { keepStdout, orAsJson, QUIET } from '../report/command-output.js';
import { findChanges, NotKnown } from './changes.js';
import { GROUPS, type Impact, type Reached, reachedOf } from './compose.js';
import type { Group } from './endpoints.js';
import { findImpact, type Resolution } from './find-impact.js';
import { dependenciesOf } from './packages.js';

/** The flags by which it is printed in another way. */
const FORMATS = ['json', 'markdown', 'tests'] as const;

/** `fwk impact`: the status is 0 whatever is reached, and 2 where that cannot be said. */
export async function run(command: CommandRun): Promise<void> {
  process.exitCode = 2;
  const { flags } = command;
  const [format, second] = FORMATS.filter((name) => flags[name] === true);
  // What the project prints while it is imported must not come between.
  const print = format ? keepStdout() : console.log;
  const impact = await orAsJson(flags.json === true, print, async () => {
    if (second)
      throw new BootError({
        message: `--${format} and --${second} ask for two formats. Give one.`,
        code: 'FWK603',
      });
    return answer(command);
  });
  process.exitCode = 0;
  for (const line of linesOf(impact, format, command.paths().root)) print(line);
}

/** What the files or the ref that were given reach. Rejects with a NotKnown. */
export async function answer(
  command: Pick<CommandRun, 'flags' | 'operands' | 'paths' | 'open'>,
): Promise<Impact> {
  const { flags, operands } = command;
  const since = typeof flags.since === 'string' ? flags.since : undefined;
  if (since === undefined && operands.length === 0)
    throw new NotKnown('Name the files that changed, or say --since <ref>, such as --since main.');
  const changes = await findChanges(command.paths().root, { files: operands, since });
  const resolution = await resolve(command);
  try {
    return await findImpact(resolution, { ...changes, since, withData: flags.data === true });
  } finally {
    await resolution.project.close();
  }
}

/** The project, as far as it boots: what is broken is what the answer is about. */
async function resolve(command: Pick<CommandRun, 'paths' | 'open'>): Promise<Resolution> {
  let last: { project: Project; routes: readonly BaseRoute[] } | undefined;
  const lifecycle = await command.open({
    purpose: 'build',
    logger: QUIET,
    apply(hooks) {
      hooks.resolve.tapPromise({ name: 'impact', stage: Stage.finish }, async (routes, project) => {
        last = { project, routes };
        return routes;
      });
    },
  });
  const dependencies = dependenciesOf(command.paths().root);
  try {
    const { project, routes } = await lifecycle.resolve();
    return { project, routes, problems: [], dependencies };
  } catch (thrown) {
    if (!(thrown instanceof BootError)) throw thrown;
    const problems = thrown.problems.map(({ file, message }) =>
      file === undefined ? message : `${file} ${message}`,
    );
    return { ...(last ?? { project: lifecycle.discover(), routes: [] }), problems, dependencies };
  }
}

function linesOf(
  impact: Impact,
  format: (typeof FORMATS)[number] | undefined,
  root: string,
): readonly string[] {
  if (format === 'json') return [JSON.stringify(impact, null, 2)];
  if (format === 'markdown') return markdownLines(impact);
  if (format === 'tests') return impact.tests.map((file) => path.relative('.', path.join(root, file)));
  return terminalLines(impact);
}

const TITLES: Readonly<Record<Group, string>> = {
  routes: 'Routes',
  pages: 'Pages',
  sockets: 'Sockets',
  tools: 'Tools, resources and prompts',
  jobs: 'Jobs',
  files: 'Files of public/',
};

/** How many ways one line can have, in a review: what comes after is counted. */
const MOST_LISTED = 200;

const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`;

/** `4 of 29 routes, sockets, tools and jobs, and 1 of 2 test files`. */
function summary(impact: Impact): string {
  const { total, tests } = impact;
  const endpoints = reachedOf(impact).filter(({ kind }) => kind !== 'public');
  const reached = endpoints.filter(({ isGone }) => !isGone).length;
  const files = count(impact.changed.length, 'changed file');
  const gone = endpoints.length - reached;
  const goneText = gone === 0 ? '' : `, ${gone} gone`;
  return `${files}: ${reached} of ${count(total.endpoints, 'endpoint')} reached${goneText}, ${tests.length} of ${count(total.tests, 'test file')}`;
}

/** For people. */
export function terminalLines(impact: Impact): string[] {
  const lines = [...impact.problems.map((problem) => `! ${problem}`), ...impact.everything];
  for (const group of GROUPS) {
    const list = impact[group];
    if (list.length === 0) continue;
    const width = Math.min(Math.max(...list.map(({ label }) => label.length)), 60);
    lines.push('', `${TITLES[group]} (${list.length})`);
    for (const reached of list) lines.push(`  ${reached.label.padEnd(width)}  ${wayOf(reached)}`);
  }
  if (impact.tests.length > 0)
    lines.push('', `Tests (${impact.tests.length})`, ...impact.tests.map((file) => `  ${file}`));
  if (impact.blind.length > 0)
    lines.push(
      '',
      'Cannot be followed, and so part of every answer',
      ...impact.blind.map(({ file, line, why }) => `  ${file}:${line}  ${why}`),
    );
  const silent = impact.changed.filter(({ note }) => note !== undefined);
  if (silent.length > 0) lines.push('', ...silent.map(({ file, note }) => `${file}: ${note}`));
  lines.push('', summary(impact));
  if (impact.shared.length > 0) lines.push(`Shares data through: ${sharedText(impact)}. --data adds them.`);
  return lines[0] === '' ? lines.slice(1) : lines;
}

const sharedText = ({ shared }: Impact): string =>
  shared.map(({ through, endpoints }) => `${through} (${count(endpoints.length, 'endpoint')})`).join(', ');

function wayOf({ file, by, why, isGone }: Reached): string {
  if (isGone) return `gone  ${file}`;
  if (why !== undefined) return `${file}  ${why}`;
  return by.length < 2 ? file : by.join(' → ');
}

/** For a review. */
function markdownLines(impact: Impact): string[] {
  const lines = [`**${summary(impact)}**`, ''];
  for (const problem of impact.problems) lines.push(`> [!WARNING]`, `> ${escaped(problem)}`, '');
  for (const sentence of impact.everything) lines.push(`> [!IMPORTANT]`, `> ${escaped(sentence)}`, '');
  for (const group of GROUPS) {
    const list = impact[group];
    if (list.length === 0) continue;
    lines.push(
      `<details${list.length > 20 ? '' : ' open'}><summary>${TITLES[group]} (${list.length})</summary>`,
      '',
    );
    lines.push('| | Reached by |', '|---|---|');
    for (const reached of list.slice(0, MOST_LISTED))
      lines.push(
        `| ${reached.isGone ? `~~${code(reached.label)}~~` : code(reached.label)} | ${escaped(wayOf(reached))} |`,
      );
    if (list.length > MOST_LISTED) lines.push(`| and ${list.length - MOST_LISTED} more | |`);
    lines.push('', '</details>', '');
  }
  if (impact.tests.length > 0) lines.push(`Tests: ${impact.tests.map(code).join(', ')}`, '');
  if (impact.blind.length > 0)
    lines.push(
      `Cannot be followed, and so part of every answer: ${impact.blind.map(({ file, line, why }) => `${code(`${file}:${line}`)} ${escaped(why)}`).join('; ')}`,
      '',
    );
  if (impact.shared.length > 0) lines.push(`Shares data through: ${escaped(sharedText(impact))}.`, '');
  return lines;
}

const code = (text: string): string => `\`${text.replace(/`/g, "'").replace(/\|/g, '\\|')}\``;
const escaped = (text: string): string => text.replace(/[|<>*_`[\]]/g, '\\$&').replace(/\r?\n/g, ' ');
