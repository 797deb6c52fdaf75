import { createServer, type ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { clientOf, data, events, rejected, resultOf } from '../../harness/client.js';
import { listening } from '../../harness/http.js';

const html = '<!doctype html><title>502</title>';
const answers: Readonly<Record<string, (res: ServerResponse) => void>> = {
  '/page': (res) => res.writeHead(502, { 'content-type': 'text/html' }).end(html),
  '/plain': (res) => res.writeHead(429, { 'content-type': 'text/plain; charset=utf-8' }).end('slow down'),
  '/text': (res) => res.writeHead(400, { 'content-type': 'application/json' }).end('"no"'),
  '/torn': (res) => res.writeHead(500, { 'content-type': 'application/json' }).end('{'),
  '/bytes': (res) => res.writeHead(503, { 'content-type': 'application/octet-stream' }).end('x'),
  '/nothing': (res) => res.writeHead(503).end(),
  '/empty': (res) => res.writeHead(200, { 'content-type': 'application/json' }).end(),
  '/malformed': (res) => res.writeHead(201, { 'content-type': 'application/problem+json' }).end('{"a":'),
  '/done': (res) => res.writeHead(200).end(),
  '/moved': (res) => res.writeHead(304).end(),
  '/loud': (res) => res.writeHead(200, { 'content-type': 'Application/JSON; Charset=UTF-8' }).end('{"a":1}'),
  '/loud-error': (res) => res.writeHead(409, { 'content-type': 'APPLICATION/PROBLEM+JSON' }).end('{"a":1}'),
  '/loud-page': (res) => res.writeHead(200, { 'content-type': 'Text/HTML' }).end(html),
  '/loud-events': (res) => res.writeHead(200, { 'content-type': 'Text/Event-Stream' }).end('data: 1\n\n'),
  '/sequence': (res) => res.writeHead(200, { 'content-type': 'application/json-seq' }).end('\x1e{}\n'),
  '/list': (res) => res.writeHead(400, { 'content-type': 'application/json' }).end('[1]'),
  '/detail': (res) =>
    res.writeHead(403, { 'content-type': 'application/problem+json' }).end('{"title":"T","detail":"D"}'),
  '/title': (res) =>
    res.writeHead(403, { 'content-type': 'application/json' }).end('{"title":"T","status":7}'),
  '/cut': (res) => begun(res, 'application/json', () => res.destroy()),
  '/cut-events': (res) => begun(res, 'text/event-stream', () => res.destroy()),
  '/slow': (res) => begun(res, 'application/json', () => {}),
};

function begun(res: ServerResponse, type: string, then: () => void): void {
  res.writeHead(200, { 'content-type': type }).write('data: {}\n\n', then);
}

const server = createServer((req, res) => answers[req.url ?? '']?.(res));
const origin = await listening(server);
const api = clientOf(origin);
const get = (path: string) => api(path).get();

const test = suite('invalid responses');
const problem = (status: number, message: string) => ({ ok: false, status, error: { status, message } });

test('error responses of a proxy in other formats become problems', async () => {
  assert.equal(await resultOf(get('/page')), problem(502, 'Bad Gateway'));
  // HTTP/2 has no status text.
  const second = clientOf(origin, { fetch: async () => new Response('', { status: 502 }) });
  assert.equal(await resultOf(second('/x').get()), problem(502, 'HTTP 502'));
  assert.equal(await resultOf(get('/plain')), problem(429, 'slow down'));
  assert.equal(await resultOf(get('/text')), problem(400, 'Bad Request'));
  assert.equal(await resultOf(get('/torn')), problem(500, 'Internal Server Error'));
  assert.equal(await resultOf(get('/bytes')), problem(503, 'Service Unavailable'));
  assert.equal(await resultOf(get('/nothing')), problem(503, 'Service Unavailable'));
  assert.equal(await resultOf(get('/moved')), problem(304, 'Not Modified'));
});

test('a success without the announced JSON is a problem, and one without a content type has no data', async () => {
  const message = 'The server sent invalid JSON';
  assert.equal(await resultOf(get('/empty')), problem(502, message));
  assert.equal(await resultOf(get('/malformed')), problem(502, message));
  assert.is((await get('/malformed')).response.status, 201);
  assert.equal(await resultOf(get('/done')), { ok: true, status: 200, data: undefined });
});

test('media types are case-insensitive', async () => {
  assert.equal(await resultOf(get('/loud')), { ok: true, status: 200, data: { a: 1 } });
  assert.equal(await resultOf(get('/loud-error')), { ok: false, status: 409, error: { a: 1 } });
  assert.equal(await resultOf(get('/loud-page')), { ok: true, status: 200, data: html });
  assert.equal(await events(get('/loud-events')), [{ event: 'message', data: 1, id: '' }]);
  assert.instance((await get('/sequence')).data, Blob);
});

test('an error body in another format is kept, with a status and a readable message', async () => {
  const read = async (path: string) => {
    const { error } = await get(path);
    const { status, message } = error as { readonly status: unknown; readonly message: unknown };
    return [JSON.stringify(error), status, message];
  };
  assert.equal(await read('/list'), ['[1]', 400, 'Bad Request']);
  assert.equal(await read('/detail'), ['{"title":"T","detail":"D"}', 403, 'D']);
  assert.equal(await read('/title'), ['{"title":"T","status":7}', 7, 'T']);
  assert.is((await rejected(data(get('/detail')))).message, 'D');
});

test('a cut connection rejects as fetch does, also in the middle of an event stream', async () => {
  assert.is((await rejected(get('/cut'))).name, 'TypeError');
  const stream = (await data(get('/cut-events'))) as AsyncIterable<unknown>;
  const seen: unknown[] = [];
  const thrown = await rejected(
    (async () => {
      for await (const event of stream) seen.push(event);
    })(),
  );
  assert.equal([thrown.name, seen.length], ['TypeError', 1]);
  assert.is((await rejected(clientOf('http://127.0.0.1:1')('/x').get())).name, 'TypeError');
});

test('an abort rejects before the response and in the middle of it', async () => {
  const ended = AbortSignal.abort();
  assert.is((await rejected(api('/slow').get({ signal: ended }))).name, 'AbortError');
  const leave = new AbortController();
  const response = await api.raw('/slow').get({ signal: leave.signal });
  assert.is(response.status, 200);
  leave.abort();
  assert.is((await rejected(response.text())).name, 'AbortError');

  // The head arrives when the server has written the first part of the body.
  const halfway = new AbortController();
  const fetching = async (request: Request) => {
    const got = await fetch(request);
    setImmediate(() => halfway.abort());
    return got;
  };
  const mine = clientOf(origin, {
    fetch: fetching,
  });
  assert.is((await rejected(mine('/slow').get({ signal: halfway.signal }))).name, 'AbortError');
});

test.after(() => {
  server.closeAllConnections();
  server.close();
});
test.run();
