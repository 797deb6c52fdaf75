import * as assert from 'uvu/assert';
import { connect } from '../../harness/http.js';
import type { Files } from '../../harness/project.js';
import { sampled } from '../../harness/sample.js';
import { servedBothWays } from '../../harness/served.js';
import { module, route } from '../../harness/source.js';

/** A route module whose handler can use node:stream. */
const streaming = (handler: string) =>
  `import { Readable } from 'node:stream';
${route('get', handler)}`;

/** Sources by kind, from an async generator `pieces` that logs its end. */
const sources = (pieces: string, end: string) => `(req, res) => {
  const ended = () => console.log('[${end} ' + req.params.kind + ']');
  async function* pieces() { try { ${pieces} } finally { ended(); } }
  const web = () => {
    const source = pieces();
    return new ReadableStream({
      async pull(controller) {
        const { done, value } = await source.next();
        if (done) controller.close(); else controller.enqueue(new TextEncoder().encode(value));
      },
      cancel: () => source.return(),
    });
  };
  res.type('text/x-made').header('Content-Disposition', 'attachment');
  return {
    node: () => Readable.from(pieces(), { objectMode: false }),
    web,
    generator: pieces,
    iterator: () => ({ [Symbol.asyncIterator]: pieces }),
    response: () => new Response(web(), { status: 203, headers: { 'x-own': '1' } }),
    later: () => Promise.resolve(pieces()),
  }[req.params.kind]();
}`;
const kinds = sampled(['node', 'web', 'generator', 'iterator', 'response', 'later'], 2);

const files: Files = {
  'api/pieces/[kind].ts': streaming(sources(`yield 'a'; yield 'é'; yield 'c';`, 'ended')),
  'api/empty/[kind].ts': streaming(sources('', 'ended')),
  'api/early/[kind].ts': streaming(sources(`throw new Error('early detail');`, 'failed')),
  'api/late/[kind].ts': streaming(
    sources(
      `yield 'begun'; await new Promise((go) => { globalThis.fail = go; }); throw new Error('late detail');`,
      'failed',
    ),
  ),
  'api/fail.ts': route('post', '() => globalThis.fail()'),
  'api/endless/[kind].ts': streaming(sources(`for (;;) yield 'x'.repeat(65536);`, 'left')),
  'api/waiting/[kind].ts': streaming(
    sources(
      `console.log('[waits]'); await new Promise((done) => req.signal.addEventListener('abort', done));`,
      'left',
    ),
  ),
  'api/bytes.ts': route('get', `() => Buffer.from('bytes')`),
  'api/slow.ts': route(
    `() => { globalThis.made = 0; return (async function* () { for (; globalThis.made < 2048; globalThis.made++) yield Buffer.alloc(65536, 120); })(); }`,
  ),
  'api/begun.ts': module(
    'get',
    `export default get(async function* (req, res) {
       if (req.query.late) await new Promise((done) => req.signal.addEventListener('abort', done));
       if (req.query.fails) throw new Error('before the first piece');
       res.status(203).type('text/csv').header('x-made', 'yes').cookie('seen', '1');
       if (req.query.empty) return;
       yield 'a,b\\n';
       yield '1,2\\n';
     }).meta({ timeout: 300 });`,
  ),
  'api/made.ts': route('get', '() => globalThis.made'),
};

servedBothWays(files, (test, site) => {
  test('headers that a generator sets before its first chunk are sent', async () => {
    for (const [query, method, text] of [
      ['', 'GET', 'a,b\n1,2\n'],
      ['?empty=1', 'GET', ''],
      ['', 'HEAD', ''],
    ] as const) {
      const answer = await site.raw(`/api/begun${query}`, { method });
      assert.equal([answer.status, answer.text], [203, text]);
      assert.match(answer.headers['content-type'] ?? '', /^text\/csv/);
      assert.is(answer.headers['x-made'], 'yes');
      assert.match(String(answer.headers['set-cookie']), /^seen=1/);
    }
    assert.is((await site.raw('/api/begun?fails=1')).status, 500);
    const late = await site.raw('/api/begun?late=1');
    assert.is(late.status, 503);
    assert.is(late.headers['x-made'], undefined);
  });

  for (const kind of kinds)
    test(`${kind}: sent, empty, HEAD`, async () => {
      const status = kind === 'response' ? 203 : 200;
      const { status: given, headers, text } = await site.raw(`/api/pieces/${kind}`);
      assert.equal([given, headers['content-type'], text], [status, 'text/x-made', 'aéc']);
      const empty = await site.raw(`/api/empty/${kind}`);
      assert.equal([empty.status, empty.text], [status, '']);
      const head = await site.raw(`/api/endless/${kind}`, { method: 'HEAD' });
      assert.equal([head.status, head.headers['content-type'], head.text], [status, 'text/x-made', '']);
    });

  for (const kind of kinds)
    test(`${kind}: an error before the first chunk is a 500, and a later one cuts the connection`, async () => {
      const from = site.dev.output.mark();
      const early = await site.raw(`/api/early/${kind}`);
      assert.is(early.status, 500);
      assert.is(early.headers['content-type'], 'application/problem+json');
      assert.is(early.headers['content-disposition'], undefined);
      await site.dev.waitFor(/early detail/, from);

      const connection = await connect(site.dev.url);
      connection.send(`GET /api/late/${kind} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      assert.match(await connection.read(/begun/), /^HTTP\/1\.1 20[03] /);
      await site.raw('/api/fail', { method: 'POST' });
      // The last part of a whole body is empty.
      assert.not.match(await connection.rest(), /(^|\r\n)0\r\n\r\n$/);
      await site.dev.waitFor(/late detail/, from);
      assert.is((await site.raw('/api/bytes')).status, 200);
    });

  for (const kind of kinds)
    test(`${kind}: a client that disconnects ends the source, which is no failure`, async () => {
      for (const path of ['endless', 'waiting']) {
        const from = site.dev.output.mark();
        const connection = await connect(site.dev.url);
        connection.send(`GET /api/${path}/${kind} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
        if (path === 'waiting') await site.dev.waitFor(/\[waits\]/, from);
        else await connection.read(/xxx/);
        connection.close();
        await site.dev.waitFor(new RegExp(`\\[left ${kind}\\]`), from);
        assert.is((await site.raw('/api/bytes')).status, 200);
        assert.not.match(site.dev.output.all.slice(from), /failed|Error/);
      }
    });

  test('a slow reader does not fill the memory', async () => {
    const response = await site.fetch('/api/slow');
    const made = async () => Number((await site.raw('/api/made')).text);
    // Without a reader, chunks are produced until the buffers of both sockets are full.
    let before = -1;
    for (let same = 0; same < 20; ) {
      const now = await made();
      same = now === before ? same + 1 : 0;
      before = now;
    }
    assert.ok(before > 0 && before < 1024, `${before} of 2048 pieces`);
    assert.is((await response.arrayBuffer()).byteLength, 2048 * 65536);
    assert.is(await made(), 2048);
  });
});
