import * as assert from 'uvu/assert';
import { ended, start } from '../../harness/fwk.js';
import { ADDING } from '../base.js';
import type { Task } from '../task.js';

export const ownTest: Task = {
  ask: `\`npm test\` builds the project and runs a test that adds a note by POST /api/notes and finds it in GET /api/notes, without listening on a
port, by Node's own test runner. The test fails where POST /api/notes loses the note. Write the test and the script.`,
  given: ADDING,
  solution: {
    'package.json': JSON.stringify({
      private: true,
      type: 'module',
      scripts: {
        build: 'fwk build',
        start: 'node dist/main.js',
        test: 'fwk test',
      },
      dependencies: { fwkit: '^0.1.0', zod: '^4.0.0', '@fwkit/cron': '^0.1.0' },
    }),
    'test/notes.test.ts': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from 'fwkit/testing';

test('a note that was added is listed', async () => {
  const app = await createTestApp();
  assert.equal((await app.post('/api/notes', { text: 'Sleep', by: 'ada' })).status, 201);
  const notes = (await (await app.get('/api/notes')).json()) as { text: string }[];
  assert.ok(notes.some(({ text }) => text === 'Sleep'));
  await app.close();
});
`,
  },
  async check({ project, stop }) {
    await stop();
    const run = () => ended(start('npm', ['test'], project.root), 'npm test', undefined, 90_000);
    const right = await run();
    assert.is(right.status, 0, right.stdout + right.stderr);
    project.write(
      'api/notes.post.ts',
      `import { post } from 'fwkit';\nexport default post<never, { text: string; by: string }>(({ body }, res) => {\n  res.status(201);\n  return { id: 3, ...body };\n});\n`,
    );
    assert.is.not((await run()).status, 0, 'the test passes though the note is lost');
  },
};
