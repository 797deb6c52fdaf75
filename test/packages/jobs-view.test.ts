import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isTooWide, violationsOf } from '../harness/accessibility.js';
import { contexts, hasBrowser } from '../harness/browser.js';
import { type Dev, dev } from '../harness/fwk.js';
import { request } from '../harness/http.js';
import { type RedisServer, redisServer, withRedis } from '../harness/redis.js';
import { add, config, shop } from './queue-project.js';

const test = suite('jobs in the dev page');
const inContext = contexts(test);
let redis: RedisServer;
let server: Dev;

test.before(async () => {
  redis = await redisServer();
  server = await dev(
    shop({ 'fwk.config.ts': config().replaceAll('process.env.REDIS_URL', `'${redis.url}'`) }),
  );
});
test.after(async () => {
  await server.stop();
  await redis.stop();
});

const fail = async (id: string): Promise<void> => {
  const from = server.output.mark();
  await add(server.url, [
    { to: `<b>${id}`, fail: 1 },
    { id, attempts: 1 },
  ]);
  await server.waitFor(new RegExp(`failed: attempt 1 of 1 of job ${id}`), from);
};

async function tables(path: string): Promise<readonly { title: string; rows: unknown[][] }[]> {
  const { status, text, json } = await request(server.url, `/_fwk/tables?title=Jobs&path=${path}`);
  assert.is(status, 200, text);
  return json as { title: string; rows: unknown[][] }[];
}

const act = (change: string, id?: string) =>
  request(server.url, '/_fwk/act', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Jobs', action: { change, queue: 'mail', id } }),
  });

test('over HTTP: the queues, the jobs of a state, and all changes', async () => {
  await fail('one');
  const { json } = await request(server.url, '/_fwk/state');
  assert.equal(Object(json).views, ['Jobs']);
  const [queues, jobs] = await tables('mail/failed');
  assert.equal(queues?.rows[0]?.slice(0, 5), [
    'mail',
    ...['waiting', 'active', 'delayed', 'failed'].map((state) => ({
      text: state === 'failed' ? '1' : '0',
      path: `mail/${state}`,
    })),
  ]);
  assert.equal([jobs?.title, jobs?.rows.map(([id]) => id)], ['mail: failed', ['one']]);
  assert.is((await act('pause')).status, 200);
  assert.equal((await tables(''))[0]?.rows[0]?.at(-1), {
    text: 'Resume',
    action: { change: 'resume', queue: 'mail' },
  });
  await act('retry', 'one');
  assert.equal(
    (await tables('mail/waiting'))[1]?.rows.map(([id]) => id),
    ['one'],
  );
  await act('remove', 'one');
  assert.equal((await tables('mail/waiting'))[1]?.rows, []);
  await act('resume');
  const none = await act('retry', 'one');
  assert.equal([none.status, Object(none.json).message], [500, 'The queue "mail" has no job "one"']);
  assert.is((await request(server.url, '/_fwk/tables?title=None')).status, 400);
});

if (hasBrowser)
  test('in a browser: links to states, buttons, and no violation of axe-core', async () => {
    await fail('two');
    await inContext(async (context) => {
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
      await page.goto(`${server.url}/_fwk`);
      await page.getByRole('link', { name: 'Jobs' }).click();
      const queue = page.getByRole('row', { name: /^mail/ });
      await queue.getByRole('link', { name: '1' }).click();
      await page.getByRole('row', { name: /^two .*<b>two.*no luck with <b>two/ }).waitFor();
      await page.evaluate(
        `window.trustedTypes && trustedTypes.createPolicy('default', { createScript: (text) => text })`,
      );
      await page.setViewportSize({ width: 360, height: 800 });
      assert.equal(await violationsOf(page, 11), []);
      assert.not(await isTooWide(page));
      await queue.getByRole('button', { name: 'Pause' }).click();
      await queue.getByRole('button', { name: 'Resume' }).waitFor();
      assert.is(await page.evaluate('document.activeElement.textContent'), 'Resume');
      await page.getByRole('button', { name: 'Remove' }).click();
      await page.getByText('There are none.').waitFor();
      assert.equal(complaints, []);
    });
  });

const tests = withRedis(test);
tests.run();
