import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Dev, dev } from '../harness/fwk.js';
import { linkLibraries } from '../harness/libraries.js';
import { clients, connected, type McpClient } from '../harness/mcp-clients.js';
import { type Project, project } from '../harness/project.js';
import { type RedisServer, redisServer, withRedis } from '../harness/redis.js';

const tool = (description: string, handler: string) => `import { tool } from 'fwkit/mcp';
export default tool({ description: '${description}', handler: ${handler} });`;

const filesFor = (url: string) => ({
  'fwk.config.ts': `import { redis } from '@fwkit/redis';
import { createClient } from '@redis/client';
import { defineConfig } from 'fwkit';
const client = () => createClient({ url: '${url}' });
export default defineConfig({ plugins: [redis({ client, name: 'notes' })], mcp: { sessions: 'sticky' } });`,
  'mcp/tools/where.ts': tool('Tells which process answers.', '() => String(process.pid)'),
  'mcp/tools/change.ts': tool(
    'Says that a note has changed.',
    "(_input, _ctx, call) => call.notify('notes://a')",
  ),
  'mcp/tools/steps.ts': tool(
    'Tells how far it is.',
    `async (_input, _ctx, call) => {
  for (let step = 1; step <= 3; step += 1) await call.progress(step, 3);
  return String(process.pid);
}`,
  ),
  'mcp/resources/notes/a.ts': `import { resource } from 'fwkit/mcp';
export default resource({ description: 'A note.', handler: () => 'a' });`,
});

const test = suite('MCP over two processes');
let redis: RedisServer;
let made: readonly [Project, Project];
let servers: readonly [Dev, Dev];
test.before(async () => {
  redis = await redisServer();
  const make = () => {
    const one = project(filesFor(redis.url));
    linkLibraries(one, '@redis/client');
    return one;
  };
  made = [make(), make()];
  servers = await Promise.all([dev(made[0]), dev(made[1])]);
});
test.after(async () => {
  for (const server of servers ?? []) await server.stop();
  await redis.stop();
});

/** A client and its notifications. */
async function listener(name: string, { url }: Dev) {
  const received: string[] = [];
  let wake = (): void => {};
  const tell = (what: string): void => {
    received.push(what);
    wake();
  };
  const client: McpClient = await connected(name, { url }, ({ client, named }) => {
    client.setNotificationHandler(named('notifications/tools/list_changed'), () => tell('tools'));
    client.setNotificationHandler(named('notifications/resources/updated'), ({ params }) =>
      tell(String(params.uri)),
    );
  });
  if (name.endsWith('2026-07-28'))
    await client.listen?.({ toolsListChanged: true, resourceSubscriptions: ['notes://a'] });
  else await client.subscribeResource({ uri: 'notes://a' });
  return {
    client,
    received,
    next: async (): Promise<string> => {
      while (received.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return received.shift() ?? '';
    },
    text: async (call: string, ...more: unknown[]) =>
      (await client.callTool({ name: call }, ...more)).content[0]?.text ?? '',
  };
}

for (const name of Object.keys(clients))
  test(`${name}: a resource that changes there, a list that changes here, and progress`, async () => {
    const [here, there] = await Promise.all(servers.map((server) => listener(name, server)));
    if (!here || !there) throw new Error('There is no client.');
    try {
      assert.is.not(await here.text('where'), await there.text('where'));
      // Each receives every change once, whichever machine makes it.
      for (const who of [there, here, there]) {
        await who.text('change');
        for (const one of [here, there]) assert.is(await one.next(), 'notes://a');
      }
      const [own] = made;
      const file = `mcp/tools/of-${name.replace(/\W+/g, '-').toLowerCase()}.ts`;
      own.write(file, tool('New.', "() => 'new'"));
      assert.is(await here.next(), 'tools');
      // The other machine has its own files, and its client keeps receiving.
      await here.text('change');
      for (const one of [here, there]) assert.is(await one.next(), 'notes://a');
      for (const one of [here, there]) {
        const seen: unknown[] = [];
        const options = { onprogress: (progress: unknown) => void seen.push(progress) };
        const pid = await (name === 'v1 client'
          ? one.text('steps', undefined, options)
          : one.text('steps', options));
        assert.is(pid, await one.text('where'));
        assert.equal(
          seen,
          [1, 2, 3].map((progress) => ({ progress, total: 3 })),
        );
      }
      // Without the broker, changes are only reported on their own machine and not queued.
      redis.pause();
      await there.text('change');
      assert.is(await there.next(), 'notes://a');
      redis.resume();
      // It was on its way.
      assert.is(await here.next(), 'notes://a');
      await there.text('change');
      for (const one of [here, there]) assert.is(await one.next(), 'notes://a');
      assert.equal([here.received, there.received], [[], []]);
    } finally {
      redis.resume();
      await Promise.all([here, there].map(({ client }) => client.close()));
    }
  });

const tests = withRedis(test);
tests.run();
