import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fwk } from '../harness/fwk.js';
import { repo } from '../harness/installed.js';
import { project } from '../harness/project.js';
import { fails, given, judge } from './attempt.js';
import type { Task } from './task.js';
import { TASKS } from './tasks.js';

// How good an assistant is at the first try: see README.md beside this file.

/** What is not an answer. */
const NOT_ANSWERED = /^(node_modules|\.fwk|dist|TASK\.md|AGENTS\.md)$/;

const [action, folder] = process.argv.slice(2);
if (folder !== undefined && action === 'prepare') await prepare(path.resolve(folder));
else if (folder !== undefined && action === 'judge') await judgeAll(path.resolve(folder));
else if (action === 'check') await checkTasks();
else throw new Error('Say what to do: npm run assistant -- prepare <folder>, judge <folder>, or check.');

/** A project for each task: what is there, what is asked, and what `fwk skills` writes. */
async function prepare(into: string): Promise<void> {
  for (const [name, task] of Object.entries(TASKS)) {
    const made = project(given(task));
    const { status, stderr } = await fwk(made, 'skills', '--ide', 'codex');
    if (status !== 0) throw new Error(stderr);
    made.write('TASK.md', `${task.ask}\n`);
    const root = path.join(into, name);
    cpSync(made.root, root, { recursive: true });
    mkdirSync(path.join(root, 'node_modules'), { recursive: true });
    symlinkSync(repo, path.join(root, 'node_modules/fwkit'));
  }
  console.log(`${Object.keys(TASKS).length} projects are in ${into}.`);
}

/** Judge what somebody has made of these projects. */
function judgeAll(folder: string): Promise<void> {
  return report('at the first try', (name, task) => judge(task, filesOf(path.join(folder, name))));
}

/** Each check holds with the answer beside it, and not for the project without one, else it would judge nothing. */
function checkTasks(): Promise<void> {
  return report('are right', async (_, task) => {
    if (!(await fails(task))) throw new Error('The check passes without an answer.');
    await judge(task, task.solution);
  });
}

async function report(title: string, attempt: (name: string, task: Task) => Promise<void>): Promise<void> {
  const tasks = Object.entries(TASKS);
  let passed = 0;
  for (const [name, task] of tasks) {
    const failure = await attempt(name, task).then(
      () => undefined,
      (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)),
    );
    if (failure === undefined) passed += 1;
    console.log(
      failure === undefined ? `ok      ${name}` : `failed  ${name}\n${failure.replace(/^/gm, '        ')}`,
    );
  }
  console.log(`\n${passed} of ${tasks.length} ${title}`);
  process.exit(passed === tasks.length ? 0 : 1);
}

function filesOf(root: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    const [top = ''] = name.split(path.sep);
    if (NOT_ANSWERED.test(top) || !statSync(path.join(root, name)).isFile()) continue;
    // A project writes sources by their name below src/.
    files[/^src\/.*\.m?ts$/.test(name) ? name.slice('src/'.length) : name] = readFileSync(
      path.join(root, name),
      'utf8',
    );
  }
  return files;
}
