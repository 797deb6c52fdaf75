import * as assert from 'uvu/assert';
import { connect } from '../../harness/http.js';
import { everywhere } from '../http/validation-project.js';
import { events } from './live-project.js';

everywhere(events, (test, raw, server) => {
  /** The body as far as it came, and whether it came to its end. */
  const cut = async (path: string) => {
    const connection = await connect(server().url);
    connection.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    const all = await connection.rest();
    assert.match(all, /^HTTP\/1\.1 200 /);
    assert.not.match(all, /\r\n0\r\n\r\n$/);
    assert.not.match(all, 'hunter2');
    return [...all.matchAll(/data: .*/g)].map(([line]) => line);
  };

  test('the handler gets the output of the schemas, and events are transformed', async () => {
    const { status, text } = await raw('/api/prices/2?from=40&tag=a', { headers: { 'x-n': '100' } });
    assert.is(status, 200);
    assert.is(
      text,
      'id: 7\ndata: {"sum":142,"at":5,"note":"none"}\n\n' +
        ': seen by nobody\n\n' +
        // Text is JSON too: otherwise a client could not distinguish it from a number.
        'event: closed\ndata: "7"\n\n' +
        'event: message\ndata: {"sum":1,"at":6,"note":"none"}\n\n',
    );
    assert.is((await raw('/api/valibot?n=3')).text, 'event: n\ndata: {"n":3,"m":1}\n\n');
    assert.is((await raw('/api/ark?n=3')).text, 'data: {"n":3}\n\n');
  });

  test('rejects a request that does not match with 422 instead of a stream', async () => {
    const wrong = await raw('/api/prices/two?from=x', { headers: { 'x-n': 'y' } });
    const { errors } = wrong.json as { errors: { in: string; path: string[] }[] };
    assert.equal(
      [wrong.status, wrong.headers['content-type'], errors.map((one) => [one.in, ...one.path])],
      [
        422,
        'application/problem+json',
        [
          ['params', 'id'],
          ['query', 'from'],
          ['headers', 'x-n'],
        ],
      ],
    );
    for (const path of ['valibot', 'ark?n=x']) assert.is((await raw(`/api/${path}`)).status, 422, path);
    assert.is((await raw('/api/ark', { method: 'HEAD' })).status, 422);
  });

  test('events keep their order, however long their checks take', async () => {
    assert.is((await raw('/api/order')).text, 'data: 9\n\ndata: 0\n\ndata: 5\n\ndata: 1\n\n');
    assert.is((await raw('/api/late')).text, 'data: 9\n\ndata: 3\n\n');
  });

  test('a first event that does not match is a 500, logged with route, event and path', async () => {
    const { output } = server();
    for (const [path, reported] of [
      [
        'first',
        /failed in [^\n]*first[^\n]*:[\s\S]*TypeError: GET \/api\/first: the data of "message" does not match its schema in "events": n: /,
      ],
      [
        'valibot-misfit',
        /the data of "message" does not match its schema in "events": n: Invalid type: Expected number\n/,
      ],
      ['undeclared', /GET \/api\/undeclared: "events" does not declare "toString". It declares message\./],
    ] as const) {
      const from = output.mark();
      const answer = await raw(`/api/${path}`);
      assert.is(answer.status, 500, path);
      assert.not.match(answer.text, 'hunter2');
      await output.waitFor(reported, from);
    }
    assert.not.match(output.all, 'hunter2');
  });

  test('a later event that does not match cuts the stream and is logged once', async () => {
    const { output } = server();
    for (const path of ['second', 'unawaited', 'slow-misfit']) {
      const from = output.mark();
      const came = await cut(`/api/${path}`);
      // Messages sent at the same time may be lost with the connection.
      assert.ok(
        came.every((line) => line === 'data: {"n":1}' || line === 'data: 9'),
        came.join(),
      );
      await output.waitFor(new RegExp(`GET /api/${path} failed in `), from);
      if (path === 'unawaited') await output.waitFor(/\[unsubscribed true\]/, from);
      await raw('/api/version');
      assert.is(output.all.slice(from).split('does not match its schema').length, 2, path);
    }
    assert.not.match(output.all, 'hunter2');
  });

  test('checkResponse: false sends events unchecked', async () => {
    assert.is((await raw('/api/unchecked')).text, 'data: {"n":"x"}\n\nevent: other\ndata: "text"\n\n');
  });
});
