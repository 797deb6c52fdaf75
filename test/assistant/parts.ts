import { suite, type Test } from 'uvu';
import * as assert from 'uvu/assert';
import { fails, judge } from './attempt.js';
import { TASKS } from './tasks.js';

/** How many files share the tasks: one alone would take longer than a file may. */
const PARTS = 3;

/** The tests of a part of the tasks: each check holds with the answer beside it, and not for the project without one, else it would judge nothing. */
export function tasksOf(part: 0 | 1 | 2): Test {
  const test = suite(`tasks for assistants, part ${part + 1} of ${PARTS}`);
  for (const [name, task] of Object.entries(TASKS).filter((_, index) => index % PARTS === part)) {
    test(`${name}: the project alone fails`, async () => assert.ok(await fails(task)));
    test(`${name}: the answer passes`, () => judge(task, task.solution));
  }
  return test;
}
