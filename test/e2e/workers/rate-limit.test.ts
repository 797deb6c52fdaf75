import http from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, request } from '../../harness/http.js';
import { configFile, route } from '../../harness/source.js';
import { made, team } from '../../harness/workers.js';

const app = made({
  'fwk.config.ts': configFile(`{
       http: { trustProxy: true },
       rateLimit: { paths: { '/api/pid': { limit: 20, window: 60_000 }, '/api/count': { limit: 3, window: 1000 }, '/api/login': { limit: 4, window: 1000, count: 'failures' } } },
     }`),
  'api/count.ts': route('get', '() => process.pid'),
  'api/login.ts': route(
    'post, error',
    `({ query }) => { if (query.password !== 'right') throw error(401, String(process.pid)); return process.pid; }`,
  ),
});

const test = suite('rate-limit with workers');

test('workers share a limit, and count separately without the primary', async () => {
  const workers = await team(app);
  await workers.output.waitFor(/"Listening on http:\S+ with 2 workers"/);
  const headers = { 'x-forwarded-for': '10.0.0.1' };
  try {
    const answers: Answer[] = [];
    const ask = async () => void answers.push(await workers.ask('/api/pid', { headers }));
    // One at a time until both workers have answered, since simultaneous requests may all reach one; then all at once.
    while (answers.length < 10) await ask();
    await Promise.all(Array.from({ length: 20 }, ask));
    const allowed = answers.filter(({ status }) => status === 200);
    assert.is(allowed.length, 20);
    assert.is(answers.filter(({ status }) => status === 429).length, 10);
    assert.is(new Set(allowed.map(({ text }) => text)).size, 2, 'both have answered');

    // An existing connection, because the primary accepts new ones.
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const count = () => request(workers.url, '/api/count', { agent, headers });
    assert.is((await count()).status, 200);
    const { pid = 0 } = workers.child;
    process.kill(pid, 'SIGSTOP');
    try {
      const statuses = [];
      for (let sent = 0; sent < 4; sent += 1) statuses.push((await count()).status);
      assert.equal(statuses, [200, 200, 429, 429]);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await workers.output.waitFor(
      /shared counters of rateLimit are unavailable: .*no answer within 1000 ms[^\n]*"\}/,
    );
    agent.destroy();
  } finally {
    await workers.stop();
  }
});

test('with failures only, failures on all workers count, and successes do not', async () => {
  const workers = await team(app);
  const login = (password: string) =>
    workers.ask(`/api/login?password=${password}`, {
      method: 'POST',
      headers: { 'x-forwarded-for': '10.0.0.2' },
    });
  try {
    const good = new Set<string>();
    for (let sent = 0; sent < 10 || good.size < 2; sent += 1) {
      const { status, text } = await login('right');
      assert.is(status, 200);
      good.add(text);
    }
    const tried = await Promise.all(Array.from({ length: 12 }, () => login('wrong')));
    const counts = [401, 429].map((wanted) => tried.filter(({ status }) => status === wanted).length);
    assert.equal(counts, [4, 8]);
    assert.is((await login('right')).status, 429);
  } finally {
    await workers.stop();
  }
});

test.run();
