import path from 'node:path';
import { BootError, type CommandRun } from 'fwkit/plugin';
import { QUIET, redirected } from '../report/command-output.js';
import { findChanges, NotKnown } from './changes.js';
import { findImpact, GROUPS, type Impact, type Reached, reachedOf } from './find-impact.js';

/** `fwk impact`. The exit code is 2 if the command fails. */
export async function run(command: CommandRun): Promise<void> {
  process.exitCode = 2;
  const { flags } = command;
  const [format, second] = ['json', 'markdown', 'tests'].filter((name) => flags[name] === true);
  const impact = await redirected(format !== undefined, async () => {
    const message = `--${format} and --${second} ask for two formats. Give one.`;
    if (second) throw new BootError({ message, code: 'FWK603' });
    return answer(command);
  });
  process.exitCode = 0;
  const lines = terminalLines(impact);
  if (format === 'json') console.log(JSON.stringify(impact, null, 2));
  else if (format === 'tests')
    for (const file of impact.tests) console.log(path.relative('.', path.join(command.paths().root, file)));
  else for (const line of format ? ['```text', ...lines, '```'] : lines) console.log(line);
}

type Input = Pick<CommandRun, 'flags' | 'operands' | 'paths' | 'open'>;

/** Finds the impact of the files or the ref in the arguments. Rejects with a NotKnown. */
export async function answer({ flags, operands, paths, open }: Input): Promise<Impact> {
  const since = typeof flags.since === 'string' ? flags.since : undefined;
  if (since === undefined && operands.length === 0)
    throw new NotKnown('Name the files that changed, or say --since <ref>, such as --since main.');
  const changes = await findChanges(paths().root, { files: operands, since });
  const resolved = await (await open({ purpose: 'build', logger: QUIET })).resolve();
  return findImpact(resolved, { ...changes, since }).finally(() => resolved.close());
}

function terminalLines(impact: Impact): readonly string[] {
  const { changed, total, tests, unknown } = impact;
  const lines = [...impact.everything];
  const section = (title: string, list: readonly string[]): void => {
    if (list.length > 0) lines.push('', `${title} (${list.length})`, ...list.map((one) => `  ${one}`));
  };
  const isData = ({ through }: Reached): boolean => through !== undefined;
  for (const group of GROUPS)
    section(group[0]?.toUpperCase() + group.slice(1), aligned(impact[group].filter((one) => !isData(one))));
  section('Through data', aligned(reachedOf(impact).filter(isData)));
  section('Tests', tests);
  const places = unknown.map(({ file, line, why }) => `${file}:${line}  ${why}`);
  section('Cannot be followed, so everything counts as reached there', places);
  const reached = reachedOf(impact).filter(({ kind, isGone }) => kind !== 'public' && !isGone).length;
  const files = changed.length === 1 ? '1 changed file' : `${changed.length} changed files`;
  const counts = `${reached} of ${total.endpoints} endpoints reached, ${tests.length} of ${total.tests} test files`;
  lines.push('', `${files}: ${counts}`);
  return lines[0] === '' ? lines.slice(1) : lines;
}

function aligned(list: readonly Reached[]): string[] {
  const width = Math.min(Math.max(0, ...list.map(({ label }) => label.length)), 60);
  return list.map((one) => `${one.label.padEnd(width)}  ${one.isGone ? `gone  ${one.file}` : one.why}`);
}
