import * as assert from 'uvu/assert';
import { edit } from '../../harness/edit.js';
import { connect } from '../../harness/http.js';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { configFile, middleware, module } from '../../harness/source.js';

const events = (handler: string, more = '') => module(`sse${more}`, `export default sse(${handler});`);

const live = (word: string) =>
  events(`async ({ send, signal }) => {
    await send('${word}');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    console.log('[${word} ended]');
  }`);

const files: Files = {
  'api/framed.ts': events(`async ({ send, emit, comment }) => {
    await send('one\\ntwo\\r\\nthree\\rfour');
    await send({ a: 1 }, { id: '7', retry: 500 });
    await emit('news', '', { id: '8' });
    await comment('nobody\\nreads this');
    await send(' é');
  }`),
  'api/resume.ts': events('({ send, lastEventId }) => send({ after: lastEventId ?? null })'),
  'api/params/[name].ts': events(
    '({ params, res, send }) => { res.header("x-name", params.name); return send(params); }',
  ),
  'api/subscribe.ts': events(`({ send, params }) => {
    const timer = setInterval(() => send('tick'), 5);
    return () => { clearInterval(timer); console.log('[unsubscribed]'); };
  }`),
  'api/closes.ts': events(
    `({ send, close }) => { send('last'); close(); send('never'); return () => console.log('[closed]'); }`,
  ),
  'api/quiet.ts': events(
    `({ signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve))`,
  ),
  'api/denied.ts': events(`async () => { throw error(403, { message: 'Not you' }); }`, ', error'),
  'api/fails.ts': events(`async ({ send }) => { await send('begun'); throw new Error('late detail'); }`),
  'api/wrong.ts': events(`({ emit }) => emit('two\\nlines', 1)`),
  'api/flood.ts': events(`async ({ send, signal }) => {
    globalThis.flooded = 0;
    while (!signal.aborted) { await send('x'.repeat(65536)); globalThis.flooded++; }
    console.log('[flood ended]');
  }`),
  'api/flooded.ts': module('get', 'export default get(() => globalThis.flooded);'),
  'api/left/_middleware.ts': middleware(`async (req, res, ctx, next) => {
       console.log('[asked]');
       await new Promise((resolve) => req.signal.addEventListener('abort', resolve));
       return next();
     }`),
  'api/left/events.ts': events(`() => console.log('[too late]')`),
  'api/timers.ts': module(
    'get',
    `export default get(() => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length);`,
  ),
  'web/live.ts': live('one'),
  'api/version.ts': module('get', 'export default get(() => 0);'),
  'fwk.config.ts': configFile('{ sse: { heartbeat: 50 } }'),
};

served(files, (test, site) => {
  const { project } = site;
  /** A connection that has asked for events. */
  const listen = async (path: string) => {
    const connection = await connect(site.dev.url);
    connection.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    return connection;
  };

  test('a client that disconnects before the handler starts leaves no heartbeat', async () => {
    const timers = async () => Number((await site.raw('/api/timers')).json);
    const before = await timers();
    for (let client = 0; client < 10; client += 1) {
      const from = site.dev.output.mark();
      const connection = await listen('/api/left/events');
      await site.dev.waitFor(/\[asked\]/, from);
      connection.close();
      await site.dev.waitFor(/\[too late\]/, from);
    }
    const after = await timers();
    assert.ok(after < before + 5, `${before} timers before, ${after} after`);
  });

  test('events are framed as the standard requires', async () => {
    const { status, headers, text } = await site.raw('/api/framed');
    assert.equal(
      [status, headers['content-type'], headers['cache-control'], headers['x-accel-buffering']],
      [200, 'text/event-stream', 'no-cache', 'no'],
    );
    assert.is(
      text,
      'data: one\ndata: two\ndata: three\ndata: four\n\n' +
        'id: 7\nretry: 500\ndata: {"a":1}\n\n' +
        'event: news\nid: 8\ndata: \n\n' +
        ': nobody\n: reads this\n\n' +
        'data:  é\n\n',
    );
  });

  test('parameters, headers, Last-Event-ID, HEAD', async () => {
    const { headers, text } = await site.raw('/api/params/ada');
    assert.equal([headers['x-name'], text], ['ada', 'data: {"name":"ada"}\n\n']);
    const resumed = await site.raw('/api/resume', { headers: { 'last-event-id': '41' } });
    assert.is(resumed.text, 'data: {"after":"41"}\n\n');
    const head = await site.raw('/api/flood', { method: 'HEAD' });
    assert.equal([head.headers['content-type'], head.text], ['text/event-stream', '']);
  });

  test('a returned function keeps the stream open and runs when the client disconnects', async () => {
    const from = site.dev.output.mark();
    const connection = await listen('/api/subscribe');
    await connection.read(/data: tick[\s\S]*data: tick/);
    connection.close();
    await site.dev.waitFor(/\[unsubscribed\]/, from);
  });

  test('close() ends the stream', async () => {
    const from = site.dev.output.mark();
    assert.is((await site.raw('/api/closes')).text, 'data: last\n\n');
    await site.dev.waitFor(/\[closed\]/, from);
  });

  test('sends the head before the first event, and heartbeats', async () => {
    const connection = await listen('/api/quiet');
    assert.match(await connection.read(/\n: \n\n[\s\S]*\n: \n\n/), /^HTTP\/1\.1 200 OK/);
    connection.close();
  });

  test('an error before the first event is a response, and a later one cuts the stream', async () => {
    const denied = await site.raw('/api/denied');
    assert.equal(
      [denied.status, denied.headers['content-type'], denied.json],
      [403, 'application/json', { message: 'Not you' }],
    );
    const from = site.dev.output.mark();
    assert.is((await site.raw('/api/wrong')).status, 500);
    await site.dev.waitFor(/an event's name must be one line, not "two\\nlines"/, from);
    const connection = await listen('/api/fails');
    const all = await connection.rest();
    assert.not.match(all, /\r\n0\r\n\r\n$/);
    await site.dev.waitFor(/GET \/api\/fails failed in[\s\S]*late detail/, from);
  });

  test('await send() waits for a slow client', async () => {
    const from = site.dev.output.mark();
    const response = await site.fetch('/api/flood');
    const count = async () => Number((await site.raw('/api/flooded')).text);
    let before = -1;
    for (let same = 0; same < 20; ) {
      const now = await count();
      same = now === before ? same + 1 : 0;
      before = now;
    }
    assert.ok(before > 0 && before < 1_024, `${before} events`);
    await response.body?.cancel();
    await site.dev.waitFor(/\[flood ended\]/, from);
  });

  test('an edit ends open streams, so that clients reconnect to the new code', async () => {
    const from = site.dev.output.mark();
    const connection = await listen('/live');
    await connection.read(/data: one\n/);
    await edit(
      site,
      () => {
        project.write('web/live.ts', live('two'));
        project.write('api/version.ts', module('get', 'export default get(() => 1);'));
      },
      '/api/version',
      1,
    );
    await site.dev.waitFor(/\[one ended\]/, from);
    await connection.read(/(^|\n)0\r\n\r\n$/);
    connection.send('GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await connection.read(/data: two\n/);
    // Open streams do not delay shutdown, which would end with 1.
  });
});
