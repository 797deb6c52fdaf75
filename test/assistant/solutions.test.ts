import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fails, judge } from './attempt.js';
import { TASKS } from './tasks.js';

// Each check holds for the answer that stands beside it, and for no project without one: else it would judge nothing.

const test = suite('tasks for assistants');

for (const [name, task] of Object.entries(TASKS)) {
  test(`${name}: the project alone fails`, async () => assert.ok(await fails(task)));
  test(`${name}: the answer passes`, () => judge(task, task.solution));
}

test.run();
