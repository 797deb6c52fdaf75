import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { type Answer, request, type Sent } from '../../harness/http.js';
import { production } from '../../harness/production.js';
import { project } from '../../harness/project.js';
import { connectSocket } from '../../harness/socket.js';
import { configFile, route, wsModule } from '../../harness/source.js';

const BUSY = 'for (const end = performance.now() + 20; performance.now() < end; );';

const files = (options: string) => ({
  'fwk.config.ts': `import { metrics } from '@fwkit/metrics';
import { defineConfig } from 'fwkit';
export default defineConfig({ plugins: [metrics()], metrics: { port: 0 }, loadShedding: ${options} });
`,
  'main.ts': `import { bootstrap } from 'fwkit';
console.log('serves', (await bootstrap({ host: 'localhost', port: 0 }))[0]);
`,
  'api/busy.get.ts': route('get', `() => { ${BUSY} return 1; }`),
  'api/upload.post.ts': route('post', `({ body }) => { ${BUSY} return String(body).length; }`),
  'ws/busy.ts': wsModule(`(socket) => { ${BUSY} socket.close(); }`),
});

const test = suite('load-shedding');

type Client = () => Promise<Answer>;

/** Repeats the requests of all clients until each kind has been rejected with 503. Returns all responses. */
async function flood(...kinds: readonly (readonly Client[])[]): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  const waiting = new Set(kinds);
  const repeat = async (ask: Client, kind: readonly Client[]): Promise<void> => {
    while (waiting.size > 0) {
      const answer = await ask();
      answers.push(answer);
      if (answer.status === 503) waiting.delete(kind);
    }
  };
  await Promise.all(kinds.flatMap((kind) => kind.map((ask) => repeat(ask, kind))));
  return answers;
}

/** Sends a WebSocket handshake. The status is 200 if it is accepted. */
const greet = async (url: string): Promise<Answer> => {
  const answer = { headers: {}, text: '', json: undefined };
  const refused = await connectSocket(url, '/ws/busy').then(
    (peer) => peer.closed.then(() => undefined),
    ({ message }: Error) => message,
  );
  if (refused === undefined) return { ...answer, status: 200 };
  assert.is(refused, 'Unexpected server response: 503');
  return { ...answer, status: 503 };
};

const client = (url: string, path: string, sent: Sent = {}): Client => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  return () => request(url, path, { agent, ...sent });
};

test('rejects a part of the requests when they wait too long for the event loop, and recovers', async () => {
  const server = await production(files('{ maxDelay: 50 }'));
  const { url, output } = server;
  const [, place = ''] = await output.waitFor(/Metrics: (http:[^\s"]+)/);
  const probes: number[] = [];
  let isOver = false;
  const probing = (async () => {
    while (!isOver) {
      probes.push((await request(url, '/healthz')).status);
      await sleep(50);
    }
  })();
  const body = 'x'.repeat(100_000);
  const answers = await flood(
    Array.from({ length: 12 }, () => client(url, '/api/busy')),
    Array.from({ length: 4 }, () => client(url, '/api/upload', { method: 'POST', body })),
    Array.from({ length: 4 }, () => () => greet(url)),
  );
  isOver = true;
  await probing;
  const rejected = answers.filter(({ status }) => status === 503);
  assert.equal([...new Set(answers.map(({ status }) => status))].sort(), [200, 503]);
  for (const { headers, json } of rejected.filter(({ text }) => text !== '')) {
    assert.match(String(headers['retry-after']), /^[1-5]$/);
    assert.equal(json, { status: 503, title: 'Service Unavailable', message: 'The server is overloaded' });
  }
  assert.ok(rejected.some(({ headers }) => headers.connection === 'keep-alive'));
  assert.equal([...new Set(probes)], [200]);
  await output.waitFor(
    /Overloaded: requests wait for \d+ ms\. A part of the requests is rejected with 503\./,
  );
  const [, count] = await output.waitFor(/No longer overloaded\. Rejected requests: (\d+)\./);
  assert.is(Number(count), rejected.length);
  assert.match(await (await fetch(place)).text(), `\nfwk_requests_shed_total ${rejected.length}\n`);
  assert.is((await request(url, '/api/busy')).status, 200);
  await server.stop();
});

test('rejects a part of the requests while memory is nearly used up', async () => {
  process.env.NODE_OPTIONS = '--max-old-space-size=32';
  const server = await production(files('{ maxMemory: 0.001 }'));
  delete process.env.NODE_OPTIONS;
  const answers = await flood([client(server.url, '/api/busy')]);
  assert.is(answers.at(-1)?.status, 503);
  await server.output.waitFor(/Overloaded: \d+ % of the memory is in use\./);
  await server.stop();
});

test('reports wrong limits at startup', async () => {
  const made = project({ 'fwk.config.ts': configFile('{ loadShedding: { maxMemory: 95, maxDelay: -1 } }') });
  const { status, stderr } = await fwk(made, 'routes');
  assert.is(status, 1);
  assert.match(
    stderr,
    '"loadShedding.maxMemory" must be a number from 0 to below 1, such as 0.95; it is 95.',
  );
  assert.match(
    stderr,
    '"loadShedding.maxDelay" must be a whole number of milliseconds, at least 0; it is -1.',
  );
});

test.run();
