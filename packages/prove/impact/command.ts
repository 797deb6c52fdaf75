import path from 'node:path';
import type { CommandRun } from 'fwkit/plugin';
import { QUIET, redirected } from '../report/command-output.js';
import { counted } from '../report/outcome.js';
import { findChanges, NotKnown } from './changes.js';
import { findImpact, GROUPS, type Impact, type Reached, reachedOf } from './find-impact.js';

/** `fwk impact`. The exit code is 2 if the command fails. */
export async function run({ flags, operands, paths, open }: CommandRun): Promise<void> {
  process.exitCode = 2;
  const { root } = paths();
  const impact = await redirected(flags.json === true || flags.tests === true, async () => {
    const since = typeof flags.since === 'string' ? flags.since : undefined;
    if (since === undefined && operands.length === 0)
      throw new NotKnown('Name the files that changed, or say --since <ref>, such as --since main.');
    const changes = await findChanges(root, { files: operands, since });
    const resolved = await (await open({ purpose: 'build', logger: QUIET })).resolve();
    return findImpact(resolved, { ...changes, since }).finally(() => resolved.close());
  });
  process.exitCode = 0;
  if (flags.json === true) console.log(JSON.stringify(impact, null, 2));
  else if (flags.tests === true)
    for (const file of impact.tests) console.log(path.relative('.', path.join(root, file)));
  else for (const line of terminalLines(impact)) console.log(line);
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
  const counts = `${reached} of ${total.endpoints} endpoints reached, ${tests.length} of ${total.tests} test files`;
  lines.push('', `${counted(changed.length, 'changed file')}: ${counts}`);
  return lines[0] === '' ? lines.slice(1) : lines;
}

function aligned(list: readonly Reached[]): string[] {
  const width = Math.min(Math.max(0, ...list.map(({ label }) => label.length)), 60);
  return list.map((one) => `${one.label.padEnd(width)}  ${one.isGone ? `gone  ${one.file}` : one.why}`);
}
