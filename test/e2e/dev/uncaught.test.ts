import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inspected } from '../../harness/dev-page.js';
import { expectOversights } from '../../harness/output.js';
import { rpc } from '../../harness/rpc.js';
import { route, service } from '../../harness/source.js';

expectOversights();
const test = suite('uncaught errors in fwk dev');

const thrower = (text: string) => route('post', `() => { ${text} }`);

const CASES = [
  [
    '/api/timer',
    /Uncaught error[\s\S]*the timer has thrown[\s\S]*src\/api\/timer\.post\.ts:2/,
    'uncaught error',
  ],
  [
    '/api/promise',
    /Unhandled rejection[\s\S]*nobody awaited me[\s\S]*src\/lib\/work\.ts:1/,
    'unhandled rejection',
  ],
  ['/api/value', /Unhandled rejection[\s\S]*no error at all/, 'unhandled rejection'],
] as const;

test('shows an uncaught error with its position, in the terminal, on the dev page and to assistants, and keeps serving', async () => {
  await inspected(
    {
      'api/timer.post.ts': thrower(`setTimeout(() => { throw new Error('the timer has thrown'); }, 1);`),
      'lib/work.ts': `export const work = async () => { throw new Error('nobody awaited me'); };\n`,
      'api/promise.post.ts': `import { work } from '../lib/work.js';\n${thrower('void work();')}`,
      'api/value.post.ts': thrower(`void Promise.reject('no error at all');`),
      'api/x.get.ts': route('get', '() => 1'),
      'services/early.ts': service(
        `() => { queueMicrotask(() => { throw new Error('thrown at the start'); }); return {}; }`,
      ),
    },
    async ({ server, post, get, read, made }) => {
      await server.waitFor(/Uncaught error[\s\S]*thrown at the start/);
      for (const [path, told, where] of CASES) {
        const from = server.output.mark();
        assert.is((await post(path, {})).status, 204);
        await server.waitFor(told, from);
        assert.is(await read('/_fwk/state', 'failures', 0, 'where'), where);
        assert.is((await get('/api/x')).text, '1');
      }
      assert.is(await read('/_fwk/state', 'failures', 1, 'traces', 0, 'excerpt', 'file'), 'src/lib/work.ts');
      assert.is(await read('/_fwk/state', 'failures', 1, 'traces', 0, 'excerpt', 'line'), 1);
      const { text } = await post('/_fwk/mcp', rpc('tools/call', { name: 'errors', arguments: {} }), {
        accept: 'application/json, text/event-stream',
      });
      assert.match(text, /nobody awaited me/);
      // A save that mends it is served as ever.
      const from = server.output.mark();
      made.write('api/timer.post.ts', thrower('return;'));
      await server.waitFor(/api\/timer\.post\.ts/, from);
      assert.is((await post('/api/timer', {})).status, 204);
    },
  );
});

test.run();
