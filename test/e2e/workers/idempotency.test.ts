import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { module, route } from '../../harness/source.js';
import { made, team } from '../../harness/workers.js';

const test = suite('idempotent routes with workers');

test('workers share the responses, and the key of a crashed worker stays held', async () => {
  const workers = await team(
    made({
      'api/pay.post.js': module(
        'post',
        `let runs = 0;
export default post((req) => {
  if (req.query.crash) process.kill(process.pid, 'SIGKILL');
  runs += 1;
  return { pid: process.pid, runs };
}).meta({ idempotent: true });`,
      ),
      'api/id.js': route('get', '() => process.pid'),
    }),
  );
  try {
    const pay = (key: string, query = '') =>
      workers.ask(`/api/pay${query}`, { method: 'POST', headers: { 'idempotency-key': key } });
    const first = await pay('a');
    // Until the other worker has answered a request.
    for (let answered = 0; answered < 10; answered += 1) {
      const again = await pay('a');
      assert.equal([again.status, again.text], [200, first.text]);
    }
    const pids = new Set<string>();
    for (let key = 0; pids.size < 2; key += 1) pids.add(Object((await pay(`key-${key}`)).json).pid);
    await pay('b', '?crash=1').catch(() => {});
    assert.is((await pay('b', '?crash=1')).status, 409);
  } finally {
    await workers.stop();
  }
});

test.run();
