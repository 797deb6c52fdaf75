import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { route } from '../../harness/source.js';
import { broken, made, run, team, workersMain } from '../../harness/workers.js';

const test = suite('workers boot');

for (const [what, more, env, sentence] of [
  ['a broken convention', { 'api/bad.ts': broken }, [], 'api/bad.js: has no default export.'],
  [
    'an invalid number of workers',
    { 'main.ts': workersMain('workers: 0') },
    [],
    'workers is "auto" or a whole number of at least 1, not 0. Set it to one.',
  ],
  [
    'an invalid WEB_CONCURRENCY',
    { 'main.ts': workersMain(`workers: 'auto'`) },
    ['WEB_CONCURRENCY=two'],
    'WEB_CONCURRENCY is a whole number of at least 1, not "two". Set it to one.',
  ],
  [
    'an entry file that exits',
    {
      'main.ts': workersMain(
        'workers: 2',
        `import cluster from 'node:cluster';\nif (cluster.isWorker) process.exit(0);`,
      ),
    },
    [],
    'The first worker ended with 0 before it served requests. The app does not start any other workers.',
  ],
] as const) {
  test(`${what} is reported once and ends every process with status 1`, async () => {
    const { status, stdout, stderr } = await run(made(more), 'main.js', env).end;
    assert.is(status, 1);
    assert.is(stderr.split(sentence).length, 2, stderr);
    assert.is(stderr.split('\n').filter((line) => !/^Read more: |^$/.test(line)).length, 1, stderr);
    assert.not.match(stdout, /^serves /m);
  });
}

test('workers that crash as soon as they serve end the app with a message', async () => {
  const app = await team(made({ 'api/die.ts': route('get', '() => process.exit(7)') }));
  // The successors find the file and do not get as far as to listen.
  app.made.write('services/told.ts', 'process.exit(7);\n');
  await app.ask('/api/die').catch(() => {});
  const { status, stdout } = await app.end;
  assert.is(status, 1);
  const sentence =
    /"Workers exit immediately, 5 times in a row, the last one with 7: fix the errors that they print\."/g;
  assert.is(stdout.match(sentence)?.length, 1, stdout);
});

test('WEB_CONCURRENCY sets the number for "auto"', async () => {
  const app = await team(made({ 'main.ts': workersMain(`workers: 'auto'`) }), 'main.js', [
    'WEB_CONCURRENCY=3',
  ]);
  assert.is((await app.pids(6)).length, 3);
  assert.is((await app.stop()).status, 0);
});

test.run();
