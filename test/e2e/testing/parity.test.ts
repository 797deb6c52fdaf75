import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import WebSocket from 'ws';
import type { TestApp } from '../../../testkit/index.js';
import { type AnyClient, clientOf, events, resultOf, untyped } from '../../harness/client.js';
import { type Production, production } from '../../harness/production.js';
import { createTestApp } from '../../harness/testing.js';
import { files } from './parity-project.js';

interface Asked {
  fetch(path: string, init?: RequestInit): Promise<Response>;
  readonly client: AnyClient;
  /** Events of a socket: its messages, or the handshake's status, and the close code. */
  socket(path: string, headers: Record<string, string>, sent: readonly (string | Buffer)[]): Promise<unknown>;
}

/** Headers that are another each time. */
const OWN = new Set(['date', 'x-request-id', 'set-cookie', 'ratelimit', 'keep-alive', 'connection']);

async function seen(answer: Promise<Response>) {
  const response = await answer;
  const headers = [...response.headers].filter(([name]) => !OWN.has(name)).sort();
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.replace(/=[^;]*/, '=…'));
  return { status: response.status, headers, cookies, text: await response.text() };
}

const json = (body: unknown) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

const questions: Readonly<Record<string, (asked: Asked) => Promise<unknown>>> = {
  'a file of public/': ({ fetch }) => seen(fetch('/hello.txt')),
  'a part of the file': ({ fetch }) => seen(fetch('/hello.txt', { headers: { range: 'bytes=0-4' } })),
  'who asks': ({ fetch }) => seen(fetch('/api/me')),
  HEAD: ({ fetch }) => seen(fetch('/api/me', { method: 'HEAD' })),
  'no route': ({ fetch }) => seen(fetch('/api/nothing')),
  'another method': ({ fetch }) => seen(fetch('/api/me', { method: 'DELETE' })),
  'an error page': ({ fetch }) => seen(fetch('/nothing', { headers: { accept: 'text/html' } })),
  'a body': ({ fetch }) => seen(fetch('/api/echo', json({ a: [1, 'ü'] }))),
  'a broken body': ({ fetch }) => seen(fetch('/api/echo', json('{'))),
  'a large body': ({ fetch }) => seen(fetch('/api/echo', json('"'.padEnd(2_000, 'x')))),
  'a refusal': ({ fetch }) => seen(fetch('/api/refused')),
  'a failure': ({ fetch }) => seen(fetch('/api/fails')),
  'a login': ({ fetch }) => seen(fetch('/api/login', json({ name: 'Ada' }))),
  'a form of another origin': ({ fetch }) =>
    seen(
      fetch('/api/login', {
        ...json({}),
        headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      }),
    ),
  events: async ({ fetch }) => seen(fetch('/api/news', { headers: { 'last-event-id': '7' } })),
  'events by the client': ({ client }) => events(client('/api/news').get()),
  'a call by the client': ({ client }) => resultOf(client('/api/echo').post({ body: { b: 2 } })),
  'an unknown socket': ({ fetch }) => seen(fetch('/ws/echo')),
  'a socket': ({ socket }) => socket('/ws/echo', { 'x-name': 'Ada' }, ['one', Buffer.from('two')]),
  'a message that fails': ({ socket }) => socket('/ws/echo', {}, ['fail']),
  'a rejected message': ({ socket }) => socket('/ws/echo', {}, ['leave']),
  'a large message': ({ socket }) => socket('/ws/echo', {}, ['x'.repeat(3_000)]),
  'a guarded socket': ({ socket }) => socket('/ws/rooms/tea', {}, []),
  'a socket of another origin': ({ socket }) => socket('/ws/echo', { origin: 'https://evil.example' }, []),
  'a socket without a route': ({ socket }) => socket('/ws/nothing', {}, []),
};

const overAPort = ({ url }: Production): Asked => ({
  fetch: (path, init) => fetch(url + path, { redirect: 'manual', ...init }),
  client: clientOf(url),
  async socket(path, headers, sent) {
    const raw = new WebSocket(url.replace('http', 'ws') + path, { headers });
    const refused = once(raw, 'unexpected-response').then(([, answer]) => ({
      status: answer.statusCode as number,
    }));
    const come: unknown[] = [];
    raw.on('message', (data, isBinary) => come.push(isBinary ? data : parse(String(data))));
    const closed = once(raw, 'close').then(([code, reason]) => ({ code, reason: String(reason) }));
    const open = once(raw, 'open');
    open.catch(() => {});
    closed.catch(() => {});
    const first = await Promise.race([refused, open]);
    if (!Array.isArray(first)) {
      raw.on('error', () => {}).terminate();
      return first;
    }
    return transcript(
      sent,
      come,
      () => raw.close(4000, 'bye'),
      (message) => raw.send(message),
      closed,
      () => once(raw, 'message'),
    );
  },
});

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** Sends one message at a time, each after the previous response, and returns everything received. */
async function transcript(
  sent: readonly (string | Buffer)[],
  come: readonly unknown[],
  close: () => void,
  send: (message: string | Buffer) => void,
  closed: Promise<unknown>,
  next: () => Promise<unknown>,
) {
  while (come.length === 0) await next();
  for (const [index, message] of sent.entries()) {
    send(message);
    const answered = (async () => {
      while (come.length < index + 2) await next();
    })();
    await Promise.race([answered, closed]);
  }
  if (come.length === sent.length + 1) close();
  return { come, closed: await closed };
}

const inATest = (app: TestApp): Asked => ({
  fetch: async (path, init) => {
    app.cookies.clear();
    return app.fetch(path, init);
  },
  client: untyped(app.api),
  async socket(path, headers, sent) {
    app.cookies.clear();
    const opened = await app.ws(path, { headers }).catch(({ status }) => ({ status }));
    if ('status' in opened) return { status: opened.status };
    const come: unknown[] = [];
    const next = async () => {
      const message = await opened.next().catch(() => new Promise<never>(() => {}));
      come.push(message);
    };
    return transcript(sent, come, () => void opened.close(4000, 'bye'), opened.send, opened.closed, next);
  },
});

const test = suite('a port and a test app');
const real = await production(files);
const app = await createTestApp({ dir: real.project.root, logger: false });
test.after(async () => {
  await app?.close();
  await real?.stop();
});

for (const [name, ask] of Object.entries(questions))
  test(name, async () => {
    const [expected, given] = [await ask(overAPort(real)), await ask(inATest(app))];
    const plain = (value: unknown) =>
      JSON.parse(JSON.stringify(value).replaceAll(real.url.replace('http://', ''), 'localhost'));
    assert.equal(plain(given), plain(expected));
    assert.ok(JSON.stringify(expected).length > 10);
  });

test.run();
