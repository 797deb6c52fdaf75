import * as assert from 'uvu/assert';
import type { Files } from '../../harness/project.js';
import { begin, call } from '../../harness/rpc.js';
import { served } from '../../harness/served.js';
import { connectSocket } from '../../harness/socket.js';
import { module, route, service, wsModule } from '../../harness/source.js';

const di = (lifetime: string, value: string, before = '') =>
  `${before}${module('di', `export default di({ lifetime: '${lifetime}', value: ${value} });`)}`;
const gate = (path: string) => `import { gate } from '${path}lib/gate.js';\n`;
const failing = (name: string) => `async () => { await null; throw new Error('no ${name}'); }`;

const files: Files = {
  'lib/gate.ts': `export const gate = {};
gate.opened = new Promise((open) => { gate.open = open; });
`,
  'di/me.ts': di(
    'request',
    `async (ctx, { req }) => {
       await null;
       if (!req?.header('x-name')) throw new Error('nobody is logged in');
       return { name: req.header('x-name') };
     }`,
  ),
  'di/of-me.ts': di('request', '(ctx) => ctx.me'),
  'di/lazy.ts': di('request', `() => ({ then(resolve) { console.log('[asked]'); resolve('lazily'); } })`),
  'di/got.ts': di(
    'request',
    `() => Object.assign(Promise.resolve('text'), { json: () => Promise.resolve('json') })`,
  ),
  'di/slow.ts': di(
    'request',
    `async (ctx, { onDestroy }) => {
       onDestroy(() => console.log('[destroy first]'));
       await gate.opened;
       onDestroy(() => console.log('[destroy late]'));
       throw new Error('made too late');
     }`,
    gate('../'),
  ),
  'di/background.ts': di(
    'request',
    `(ctx, { onDestroy }) => {
       void gate.opened.then(() => setImmediate(() => onDestroy(async () => { console.log('[destroy after]'); throw new Error('no end'); })));
       return 1;
     }`,
    gate('../'),
  ),
  'di/closing.ts': di('request', `(ctx, { onDestroy }) => { onDestroy(${failing('rest')}); return 1; }`),
  'di/visits.ts': di('session', failing('visits')),
  'services/queue.ts': service(`(ctx, { keep }) => { keep('line', ${failing('line')}); return {}; }`),
  'api/destructured.ts': route('get', `(req, res, { me }) => 'fine'`),
  'api/both.ts': route('get', `(req, res, { me, ofMe }) => 'fine'`),
  'api/awaited.ts': route('get', 'async (req, res, ctx) => (await ctx.me).name'),
  'api/later.ts': route(
    'async (req, res, { me }) => { await new Promise(setImmediate); return (await me).name; }',
  ),
  'api/caught.ts': route(
    `async (req, res, ctx) => { try { return (await ctx.me).name; } catch { return 'nobody'; } }`,
  ),
  'api/returned.ts': route('get', '(req, res, ctx) => ctx.ofMe'),
  'api/settled.ts': route('get', 'async (req, res, ctx) => (await Promise.allSettled([ctx.me]))[0].status'),
  'api/kinds.ts': route(
    `async (req, res, ctx) => [ctx.me instanceof Promise, ctx.me === ctx.me, await ctx.got, await ctx.got.json()]`,
  ),
  'api/lazy.ts': route('get', '(req, res, { lazy }) => typeof lazy'),
  'api/slow.ts': route('get', `(req, res, { slow, background }) => 'fine'`),
  'api/closing.ts': route('get', `(req, res, { closing }) => 'fine'`),
  'api/visits.ts': route('get', '(req, res, ctx) => ctx.visits'),
  'api/open.ts': `${gate('../')}${route('get', '() => { gate.open(); return 1; }')}`,
  'ws/seat.ts': wsModule(`({ ctx, send }) => { ctx.me; send('seated'); }`),
  'mcp/tools/look.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Looks.', handler: (_, ctx) => { ctx.me; return 'looked'; } });
`,
};

served(files, (test, site) => {
  const nothing = (request: string) => `di/me\\.[jt]s failed for ${request}, and nothing awaited it:`;
  const reports = (from: number, pattern: string) =>
    [...site.dev.output.all.slice(from).matchAll(new RegExp(pattern, 'g'))].length;
  /** Sends a request; resolves with the output up to the end of a later request. */
  const asked = async (path: string) => {
    const from = site.dev.output.mark();
    const answer = await site.raw(path);
    await site.raw('/api/closing');
    await site.dev.waitFor(/no rest/, from);
    return { answer, from };
  };

  test('an unawaited value that rejects is reported once, with its file and the request', async () => {
    const { answer, from } = await asked('/api/destructured?by=stranger');
    assert.equal([answer.status, answer.json], [200, 'fine']);
    await site.dev.waitFor(
      new RegExp(`${nothing('GET /api/destructured')}\\s+Error: nobody is logged in`),
      from,
    );
    assert.is(reports(from, 'Error: nobody is logged in'), 1);
  });

  test('two values with the same promise are reported once', async () => {
    const { answer, from } = await asked('/api/both');
    assert.is(answer.json, 'fine');
    assert.is(reports(from, 'nothing awaited it'), 1);
  });

  for (const path of ['awaited', 'later', 'returned']) {
    test(`an awaited value fails the request: ${path}`, async () => {
      const { answer, from } = await asked(`/api/${path}`);
      assert.is(answer.status, 500);
      await site.dev.waitFor(/GET \/api\/\w+ failed in (src\/)?api\//, from);
      assert.is(reports(from, 'nothing awaited it'), 0);
      const named = await site.raw(`/api/${path}`, { headers: { 'x-name': 'ann' } });
      assert.equal(named.json, path === 'returned' ? { name: 'ann' } : 'ann');
    });
  }

  for (const [path, result] of [
    ['caught', 'nobody'],
    ['settled', 'rejected'],
  ] as const) {
    test(`a value whose failure is handled is not reported: ${path}`, async () => {
      const { answer, from } = await asked(`/api/${path}`);
      assert.is(answer.json, result);
      assert.is(reports(from, 'nobody is logged in'), 0);
    });
  }

  test('the value is the same promise at each read, with its own properties', async () => {
    const { answer } = await asked('/api/kinds');
    assert.equal(answer.json, [true, true, 'text', 'json']);
  });

  test('a lazy thenable is not started', async () => {
    const { answer, from } = await asked('/api/lazy');
    assert.is(answer.json, 'object');
    assert.is(reports(from, '\\[asked\\]'), 0);
  });

  test('the end of a request waits for pending values and then runs their cleanup', async () => {
    const from = site.dev.output.mark();
    assert.is((await site.raw('/api/slow')).json, 'fine');
    await asked('/api/destructured');
    assert.is(reports(from, '\\[destroy'), 0);
    await site.raw('/api/open');
    await site.dev.waitFor(/\[destroy late\]\s+\[destroy first\]/, from);
    await site.dev.waitFor(
      /di\/slow\.[jt]s failed for GET \/api\/slow, and nothing awaited it:\s+Error: made too late/,
      from,
    );
    await site.dev.waitFor(/\[destroy after\]/, from);
    await site.dev.waitFor(/onDestroy of (src\/)?di\/background\.[jt]s failed:\s+Error: no end/, from);
  });

  test('a session value that is a promise is rejected with a message', async () => {
    const { answer, from } = await asked('/api/visits');
    assert.is(answer.status, 500);
    await site.dev.waitFor(/ctx\.visits is a promise, which a session cannot store/, from);
    await site.dev.waitFor(
      /di\/visits\.[jt]s failed for GET \/api\/visits, and nothing awaited it:\s+Error: no visits/,
      from,
    );
  });

  test('a pending promise in a service is reported at boot', async () => {
    await site.dev.waitFor(/keep\("line"\) of (src\/)?services\/queue\.[jt]s failed:\s+Error: no line/);
    assert.is(reports(0, 'Error: no line'), 1);
  });

  test('a socket and a tool call report it, too', async () => {
    const from = site.dev.output.mark();
    const peer = await connectSocket(site.dev.url, '/ws/seat');
    assert.is(await peer.next(), 'seated');
    peer.close();
    await site.dev.waitFor(new RegExp(nothing('GET /ws/seat')), from);
    assert.is(await call(site.dev.url, 'look', {}, await begin(site.dev.url)), 'looked');
    await site.dev.waitFor(new RegExp(nothing('POST /mcp')), from);
  });
});
