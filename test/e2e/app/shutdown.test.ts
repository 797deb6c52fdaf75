import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { spawnDev } from '../../harness/fwk.js';
import { connect } from '../../harness/http.js';
import { type Files, layouts, project } from '../../harness/project.js';
import { module, route } from '../../harness/source.js';

// SIGINT and SIGTERM: what runs is finished, every value ends, and the status is 0.

/** A service that tells when it is made and when it ends; `before` is what it reads first. */
const told = (name: string, before: string) =>
  module(
    'service',
    `export default service(async (ctx, { onDestroy }) => {
       ${before}
       console.log('[make ${name}]');
       onDestroy(() => console.log('[destroy ${name}]'));
       return {};
     });`,
  );

for (const layout of layouts) {
  const test = suite(layout);
  const ending: Files = {
    'services/pool.ts': told('pool', 'await new Promise(setImmediate);'),
    'services/a-repo.ts': told('a-repo', 'ctx.pool;'),
    'services/zRepo.ts': told('zRepo', 'await ctx.pool;'),
    // Answers when it is told to.
    'api/slow.ts': route(
      'get',
      `async () => { const told = new Promise((resolve) => process.once('SIGUSR2', resolve)); console.log('[slow began]'); await told; console.log('[slow ends]'); return 'slow'; }`,
    ),
  };

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`singletons end in reverse order on ${signal}`, async () => {
      const server = await spawnDev(project(ending, layout));
      const { stdout } = await server.stop(signal);
      const names = (word: string) =>
        [...stdout.matchAll(new RegExp(`\\[${word} (\\S+)\\]`, 'g'))].map((match) => match[1]);
      assert.equal([...names('make')].sort(), ['a-repo', 'pool', 'zRepo']);
      assert.equal(names('destroy'), names('make').reverse());
    });
  }

  test('what runs is finished first', async () => {
    const server = await spawnDev(project(ending, layout));
    const slow = server.fetch('/api/slow').then((response) => response.json());
    await server.waitFor(/\[slow began\]/);
    const idle = await connect(server.url);
    const end = server.stop();
    // The signal has been heard when the idle connection is closed.
    await idle.rest();
    await server.stop('SIGUSR2');
    assert.is(await slow, 'slow');
    const { stdout } = await end;
    assert.match(stdout, /\[slow ends\][\s\S]*\[destroy zRepo\][\s\S]*\[destroy pool\]/);
  });

  test('a connection that sends nothing does not hold up the end', async () => {
    const server = await spawnDev(project(ending, layout));
    const idle = await connect(server.url);
    // A browser opens such connections ahead of its requests. Answered: the server has seen the connection before.
    assert.is((await server.fetch('/api/nowhere')).status, 404);
    const begun = performance.now();
    try {
      await server.stop();
    } finally {
      idle.close();
    }
    assert.ok(performance.now() - begun < 3_000, `${performance.now() - begun} ms`);
  });

  test.run();
}
