import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type * as published from '../../../client/resilient.js';
import { entryFile, rejected, untyped } from '../../harness/client.js';
import type { Sent } from '../../harness/http.js';
import { production } from '../../harness/production.js';
import { project } from '../../harness/project.js';
import { assertReported, refusal } from '../../harness/refusal.js';
import { di, middleware, module, route } from '../../harness/source.js';

const { createResilientClient } = (await import(
  pathToFileURL(entryFile('resilient')).href
)) as typeof published;

/** A route that counts its runs, and with `?wait` waits until `POST /api/open`. */
const once = (handler: string, names = 'post', meta = 'idempotent: true') =>
  module(
    `${names}, error`,
    `let runs = 0;
const wait = async (req) => {
  if (!req.query.wait) return;
  globalThis.waiting = (globalThis.waiting ?? 0) + 1;
  await globalThis.gate;
};
export default ${names.split(',')[0]}(${handler}).meta({ ${meta} });`,
  );

const files = {
  'fwk.config.ts': `export default { session: { secrets: '${'s'.repeat(40)}' }, log: { level: 'silent' } };`,
  'di/cart.ts': di('session', '() => ({ n: 0 })'),
  'middlewares/1.guard.ts': `import { noteRequest } from 'fwkit/http';
${middleware(
  `async (req, res, ctx, next) => {
    if (req.header('x-refused')) throw error(401, 'Log in first');
    const account = req.header('x-account');
    if (account) noteRequest(req, { user: account.startsWith('{') ? JSON.parse(account) : account });
    const result = await next();
    return req.header('x-wrapped') ? { data: result } : result;
  }`,
  'middleware, error',
)}`,
  'api/pay.post.ts': once(
    `async (req, res) => {
      runs += 1;
      await wait(req);
      res.status(201).header('Location', '/api/pay/' + runs).cookie('a', 'b');
      return { runs, at: new Date(0) };
    }`,
  ),
  'api/waiting.get.ts': route('get', '() => globalThis.waiting ?? 0'),
  'api/gate.post.ts': route(
    'post',
    `(req) => { if (req.query.open) globalThis.open(); else globalThis.gate = new Promise((resolve) => { globalThis.open = resolve; }); }`,
  ),
  'api/kinds.post.ts': once(
    `(req, res) => {
      runs += 1;
      const { kind } = req.query;
      if (kind === 'text') return res.type('text').status(202) && 'text ' + runs;
      if (kind === 'bytes') return Buffer.from([runs, 255]);
      if (kind === 'none') return;
      if (kind === 'null') return null;
      if (kind === 'json') return void res.status(203).header('X-Run', runs).json({ runs });
      if (kind === 'redirect') return void res.redirect('/at/' + runs, 303);
      if (kind === 'declined') throw error(402, { runs });
      if (kind === 'returned') return error(409, { runs });
      if (kind === 'late') {
        res.status(203).json({ runs });
        throw error(404, { runs });
      }
      if (kind === 'failed') throw new Error('broken');
      if (kind === 'busy') return void res.status(503).json({ runs });
      if (kind === 'limited') throw error(429, { runs });
      if (kind === 'stream') return (async function* () { yield 'a' + runs; })();
      if (kind === 'huge') return 'x'.repeat(70_000);
      return { runs };
    }`,
  ),
  'api/session.post.ts': once('(req, res, ctx) => ({ runs: ++runs, n: (ctx.cart.n += 1) })'),
  'api/timed.post.ts': once(
    'async (req) => { runs += 1; await wait(req); return { runs }; }',
    'post',
    'idempotent: true, timeout: 50',
  ),
  'api/upload.post.ts': once('(req) => ({ runs: ++runs })'),
  'api/each.ts': once('(req) => ({ runs: ++runs })', 'all'),
};

const app = await production(files);
const test = suite('idempotent routes');
test.after(() => app.stop());

let keys = 0;
const newKey = () => {
  keys += 1;
  return `key-${keys}`;
};
/** Resolves when `begin` has made a handler wait for the gate. */
async function waiting<T>(begin: () => Promise<T>): Promise<{ readonly ended: Promise<T> }> {
  const count = async () => Number((await app.raw('/api/waiting')).json);
  const before = await count();
  const ended = begin();
  while ((await count()) === before);
  return { ended };
}
const post = (path: string, key: string | undefined, more: Sent = {}) =>
  app.raw(path, {
    method: 'POST',
    ...more,
    headers: { ...(key === undefined ? {} : { 'idempotency-key': key }), ...more.headers },
  });
const json = (body: object, headers = {}): Sent => ({
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', ...headers },
});
const runsOf = ({ json }: { json: unknown }) => Object(json).runs;

test('the second request with a key gets the first response, without its cookies', async () => {
  const key = newKey();
  const first = await post('/api/pay', key, json({ amount: 1 }));
  const second = await post('/api/pay', key, json({ amount: 1 }));
  assert.equal([first.status, second.status], [201, 201]);
  assert.is(second.text, first.text);
  assert.is(second.headers.location, first.headers.location);
  assert.match(String(first.headers['set-cookie']), 'a=b');
  assert.is(second.headers['set-cookie'], undefined);
  assert.equal(
    [first.headers['idempotent-replayed'], second.headers['idempotent-replayed']],
    [undefined, 'true'],
  );
  // Middlewares run for a stored response, too.
  const wrapped = await post('/api/pay', key, json({ amount: 1 }, { 'x-wrapped': '1' }));
  assert.is(Object(wrapped.json).data.runs, runsOf(first));
  assert.is((await post('/api/pay', key, json({ amount: 1 }, { 'x-refused': '1' }))).status, 401);
  const [third, fourth] = [await post('/api/pay', undefined), await post('/api/pay', undefined)];
  assert.is(runsOf(fourth), runsOf(third) + 1);
});

test('another body, query or path with the key is a 422', async () => {
  const key = newKey();
  await post('/api/pay', key, json({ amount: 1 }));
  for (const [path, sent] of [
    ['/api/pay', json({ amount: 2 })],
    ['/api/pay?x=1', json({ amount: 1 })],
    ['/api/kinds', json({ amount: 1 })],
  ] as const) {
    const answer = await post(path, key, sent);
    assert.is(answer.status, 422);
    assert.match(answer.text, 'was used for a request with another method, URL or body. Send a new key');
  }
  const form = (text: string) => {
    const data = new FormData();
    data.set('file', new File([text], 'a.txt'));
    return fetch(`${app.url}/api/upload`, {
      method: 'POST',
      body: data,
      headers: { 'idempotency-key': key },
    });
  };
  assert.is((await form('same')).status, 422);
});

test('a multipart form is compared by the content of its files', async () => {
  const key = newKey();
  const boundary = 'content-type: multipart/form-data; boundary=b'.slice(14);
  const form = (text: string): Sent => ({
    body: `--b\r\ncontent-disposition: form-data; name="f"; filename="a.txt"\r\n\r\n${text}\r\n--b--\r\n`,
    headers: { 'content-type': boundary },
  });
  const first = await post('/api/upload', key, form('same'));
  assert.is(first.status, 200, first.text);
  assert.is((await post('/api/upload', key, form('same'))).text, first.text);
  assert.is((await post('/api/upload', key, form('diff'))).status, 422);
});

test('of a thousand requests at once, one runs', async () => {
  const key = newKey();
  const before = runsOf(await post('/api/pay', undefined));
  await post('/api/gate', undefined);
  const { ended: all } = await waiting(() =>
    Promise.all(Array.from({ length: 1_000 }, () => post('/api/pay?wait=1', key))),
  );
  const refused = await post('/api/pay?wait=1', key);
  assert.is(refused.status, 409);
  assert.is(refused.headers['retry-after'], '1');
  assert.is((await post('/api/pay?wait=2', key)).status, 422);
  await post('/api/gate?open=1', undefined);
  const answers = await all;
  assert.is(answers.filter((one) => one.status === 201 && !one.headers['idempotent-replayed']).length, 1);
  assert.equal([...new Set(answers.map(({ status }) => status))].sort(), [201, 409]);
  assert.is(runsOf(await post('/api/pay', undefined)), before + 2);
});

test('each kind of response is stored, except for failures', async () => {
  for (const kind of ['text', 'bytes', 'none', 'null', 'json', 'redirect', 'declined', 'returned', 'plain']) {
    const key = newKey();
    const [first, second] = [
      await post(`/api/kinds?kind=${kind}`, key),
      await post(`/api/kinds?kind=${kind}`, key),
    ];
    const shown = ({ status, headers, text }: typeof first) => [
      status,
      text,
      headers['content-type'],
      headers.location,
      headers['x-run'],
    ];
    assert.equal(shown(second), shown(first), kind);
    assert.is(second.headers['idempotent-replayed'], 'true', kind);
  }
  for (const kind of ['failed', 'busy', 'limited']) {
    const key = newKey();
    const [first, second] = [
      await post(`/api/kinds?kind=${kind}`, key),
      await post(`/api/kinds?kind=${kind}`, key),
    ];
    assert.is(second.status, first.status);
    assert.is(second.headers['idempotent-replayed'], undefined, kind);
    if (kind !== 'failed') assert.is(runsOf(second), runsOf(first) + 1);
  }
  for (const kind of ['stream', 'huge']) {
    const key = newKey();
    assert.is((await post(`/api/kinds?kind=${kind}`, key)).status, 200);
    const second = await post(`/api/kinds?kind=${kind}`, key);
    assert.is(second.status, 409);
    assert.match(
      second.text,
      'is complete, but its response is not stored, because it is a stream or larger than 65536',
    );
    assert.is(second.headers['retry-after'], undefined);
  }
});

test('a result after a timeout or a disconnection is stored for the next attempt', async () => {
  const key = newKey();
  await post('/api/gate', undefined);
  assert.is((await post('/api/timed?wait=1', key)).status, 503);
  assert.is((await post('/api/timed?wait=1', key)).status, 409);
  const gone = newKey();
  const controller = new AbortController();
  const pay = (signal?: AbortSignal) =>
    fetch(`${app.url}/api/pay?wait=1`, {
      method: 'POST',
      headers: { 'idempotency-key': gone },
      ...(signal ? { signal } : {}),
    });
  const { ended } = await waiting(() => pay(controller.signal).catch(() => {}));
  controller.abort();
  await ended;
  assert.is((await pay()).status, 409);
  await post('/api/gate?open=1', undefined);
  let answer = await post('/api/timed?wait=1', key);
  while (answer.status === 409) answer = await post('/api/timed?wait=1', key);
  assert.equal([answer.status, answer.headers['idempotent-replayed']], [200, 'true']);
  let paid = await pay();
  while (paid.status === 409) paid = await pay();
  assert.equal([paid.status, paid.headers.get('idempotent-replayed')], [201, 'true']);
});

test('callers do not share keys', async () => {
  const key = newKey();
  const runs = new Set<unknown>();
  const callers: Record<string, string>[] = [
    {},
    { authorization: 'Bearer a' },
    { authorization: 'Bearer b' },
    { cookie: 'login=a' },
    { cookie: 'login=b' },
    { 'x-api-key': 'a' },
    { 'x-forwarded-user': 'ada' },
    { 'x-session-id': 'a' },
    { 'x-account': '{"id":1}' },
    { 'x-account': '{"id":2}' },
  ];
  for (const headers of callers) {
    const answer = await post('/api/kinds', key, { headers });
    assert.is(answer.headers['idempotent-replayed'], undefined);
    runs.add(runsOf(answer));
  }
  assert.is(runs.size, callers.length);
  // The user that a middleware has noted keeps the key when credentials change.
  const account = { 'x-account': 'ada', authorization: 'Bearer 1' };
  const first = await post('/api/kinds', key, { headers: account });
  assert.is(first.headers['idempotent-replayed'], undefined);
  const renewed = await post('/api/kinds', key, { headers: { ...account, authorization: 'Bearer 2' } });
  assert.is(renewed.text, first.text);
});

test('an error after the response does not change the stored response', async () => {
  const key = newKey();
  const first = await post('/api/kinds?kind=late', key);
  const second = await post('/api/kinds?kind=late', key);
  assert.equal([first.status, second.status], [203, 203]);
  assert.is(second.text, first.text);
});

test('a session identifies its visitor, whatever other cookies change', async () => {
  const begun = await post('/api/session', undefined);
  const cookie = String(begun.headers['set-cookie']).split(';')[0];
  const key = newKey();
  const first = await post('/api/session', key, { headers: { cookie: `${cookie}; seen=1` } });
  const second = await post('/api/session', key, { headers: { cookie: `${cookie}; seen=2` } });
  assert.is(second.headers['idempotent-replayed'], 'true');
  assert.is(second.text, first.text);
  const other = await post('/api/session', key);
  assert.is(other.headers['idempotent-replayed'], undefined);
});

test('rejects incorrect keys', async () => {
  for (const key of ['', ' ', 'a b', 'ä', 'x'.repeat(256)]) {
    const answer = await post('/api/kinds', key);
    assert.is(answer.status, 400, key);
    assert.match(answer.text, 'The Idempotency-Key must have 1 to 255 visible ASCII characters');
  }
  // Node refuses such a head itself, and may close the connection before it has arrived.
  const huge = await post('/api/kinds', 'x'.repeat(1_000_000)).catch(() => undefined);
  assert.is(huge?.status ?? 431, 431);
  const twice = await app.raw('/api/kinds', { method: 'POST', headers: { 'idempotency-key': ['a', 'b'] } });
  assert.is(twice.status, 400);
  const quoted = await post('/api/kinds', '"8e03978e-40d5-43dd-bc93-6894a57f9324"');
  assert.is(quoted.status, 200);
  const key = newKey();
  const read = () => app.raw('/api/each', { headers: { 'idempotency-key': key } });
  assert.is(runsOf(await read()) + 1, runsOf(await read()));
});

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

test('the resilient client repeats a call with a key if the connection fails', async () => {
  const attempts: string[] = [];
  let failures = 2;
  // The server has received the request, but its response is lost.
  const lossy = async (request: Request) => {
    attempts.push(request.headers.get('idempotency-key') ?? 'none');
    const response = await fetch(request);
    failures -= 1;
    if (failures >= 0) throw new TypeError('the connection broke');
    return response;
  };
  const api = untyped(createResilientClient(app.url, { fetch: lossy }));
  const key = newKey();
  const before = runsOf(await post('/api/pay', undefined));
  const paid = await api('/api/pay').post({ body: { amount: 1 }, ...keyed(key) });
  assert.equal([paid.ok, Object(paid.data).runs], [true, before + 1]);
  assert.equal(attempts, [key, key, key]);
  failures = 1;
  assert.is((await rejected(api('/api/pay').post())).message, 'the connection broke');
  assert.is(attempts.length, 4);
  failures = 9;
  const aborted = AbortSignal.timeout(100);
  await rejected(api('/api/pay').post({ ...keyed(newKey()), signal: aborted }));
  assert.ok(attempts.length <= 6, attempts.join());

  // Another attempt is still running.
  failures = 0;
  await post('/api/gate', undefined);
  const slow = newKey();
  const { ended } = await waiting(() => post('/api/pay?wait=1', slow));
  const second = api('/api/pay').post({ query: { wait: 1 }, ...keyed(slow) });
  while (attempts.at(-1) !== slow) await post('/api/kinds', undefined);
  await post('/api/gate?open=1', undefined);
  assert.is(Object((await second).data).runs, runsOf(await ended));
});

test('rejects routes that cannot be idempotent', async () => {
  const cases: Readonly<Record<string, readonly [string, string]>> = {
    'api/a.get.ts': [
      once('() => 1', 'get'),
      'has .meta({ idempotent }), which has no effect for GET. Remove it, or use POST.',
    ],
    'api/b.post.ts': [
      once('() => 1', 'post', 'idempotent: "yes"'),
      'has .meta({ idempotent: "yes" }). Make it true, or leave it out.',
    ],
    'api/c.post.ts': [
      once('() => 1', 'post', 'idempotent: true, body: "stream"'),
      'has .meta({ idempotent }) and .meta({ body: "stream" }). Remove one of them, because a stream cannot be compared with the first request.',
    ],
  };
  const made = project(Object.fromEntries(Object.entries(cases).map(([name, [text]]) => [name, text])));
  const stderr = await refusal(made, 'routes');
  for (const [name, [, sentence]] of Object.entries(cases)) assertReported(stderr, made, name, sentence);
});

test.run();
