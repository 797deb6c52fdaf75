import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../../harness/http.js';
import { unsampled } from '../../harness/sample.js';
import { configFile } from '../../harness/source.js';
import { made, type Team, team } from '../../harness/workers.js';

const test = suite('workers');

test('all workers answer, code after bootstrap() runs once, and each worker disposes of its services', async () => {
  const app = await team(made());
  const pids = await app.pids();
  assert.is(pids.length, 2);
  assert.not.ok(pids.includes(app.child.pid ?? 0));
  const { status, stdout, stderr } = await app.stop();
  assert.is(status, 0);
  assert.is(stderr, '');
  assert.is(stdout.match(/^serves /gm)?.length, 1);
  assert.equal(stdout.match(/\[destroyed \d+\]/g)?.sort(), pids.map((pid) => `[destroyed ${pid}]`).sort());
});

for (const [signal, what] of [
  ['SIGKILL', 'ended with SIGKILL: it is replaced'],
  ['SIGTERM', 'was asked to end: \\d+ replaces it'],
] as const) {
  test(`replaces a worker that gets ${signal}, and no later request fails`, async () => {
    const app = await team(made());
    const [victim = 0, other = 0] = await app.pids();
    const from = app.output.mark();
    process.kill(victim, signal);
    const line = `"Worker ${victim} ${what}\\."`;
    await app.output.waitFor(new RegExp(line, 'm'));
    assert.ok((await app.pids()).includes(other));
    await app.output.waitFor(/\[made \d+\]/, from);
    let pids: number[] = [];
    while (pids.length < 2) pids = await app.pids();
    assert.ok(pids.includes(other) && !pids.includes(victim));
    assert.is((await app.stop()).status, 0);
  });
}

unsampled(test)('another worker answers a connection if its worker crashes before accepting it', async () => {
  const app = await team(made());
  try {
    const [victim = 0, other = 0] = await app.pids();
    // It accepts no connection: it is given one, and no other until it accepts that.
    process.kill(victim, 'SIGSTOP');
    let waiting = 4;
    const responses = Array.from({ length: waiting }, async () => {
      const connection = await connect(app.url);
      connection.send('GET /api/pid HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      const answer = await connection.rest();
      waiting -= 1;
      if (waiting === 1) process.kill(victim, 'SIGKILL');
      return answer;
    });
    const expected = new RegExp(`^HTTP/1.1 200 [\\s\\S]*\\r\\n\\r\\n${other}$`);
    for (const answer of await Promise.all(responses)) assert.match(answer, expected);
  } finally {
    assert.is((await app.stop()).status, 0);
  }
});

/**
 * Sends SIGTERM during a slow response; resolves when an idle connection has been closed, which shows that the signal
 * was handled.
 */
async function stopping({ child, output, url }: Team): Promise<void> {
  await output.waitFor(/\[slow began \d+\]/);
  const idle = await connect(url);
  // Answered: it has reached a worker.
  idle.send('GET /api/version HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await idle.read(/\r\n\r\n1$/);
  child.kill('SIGTERM');
  await idle.rest();
}

test('a shutdown lets running requests finish', async () => {
  const app = await team(made());
  const slow = app.ask('/api/slow');
  await stopping(app);
  const late = app.ask('/api/version').catch((cause: Error) => cause);
  app.made.write('go', '');
  assert.is((await slow).json, 'slow');
  assert.is((await app.end).status, 0);
  assert.ok((await late) instanceof Error, 'nothing new is answered');
});

unsampled(test)('cuts off a hanging request at the limit and exits with 1', async () => {
  const config = configFile('{ http: { drainLimit: 200 } }');
  const app = await team(made({ 'fwk.config.ts': config }));
  const slow = app.ask('/api/slow').catch((cause: Error) => cause);
  await app.output.waitFor(/\[slow began \d+\]/);
  app.child.kill('SIGINT');
  assert.is((await app.end).status, 1);
  assert.ok((await slow) instanceof Error);
});

unsampled(test)('a second signal ends every process immediately', async () => {
  const app = await team(made());
  const slow = app.ask('/api/slow').catch((cause: Error) => cause);
  await stopping(app);
  app.child.kill('SIGTERM');
  assert.is((await app.end).status, 143);
  assert.ok((await slow) instanceof Error);
});

test.run();
