import { isDeepStrictEqual } from 'node:util';
import type { Answer } from './answers.js';
import { type Payload, payload } from './payload.js';
import type { Play } from './play.js';
import { type Asked, type Meant, written } from './request.js';

// Well-formed requests to the project's routes, with their expected responses.

type Make = (play: Play, token: string) => Meant;

/** That an answer has a status, and the token of its request. */
export const answers =
  (status: number, token?: string, more: (answer: Answer) => string | undefined = () => undefined) =>
  (answer: Answer): string | undefined => {
    if (answer.status !== status)
      return `${answer.status} came, not ${status}: ${answer.body.toString().slice(0, 200)}`;
    if (token !== undefined && !answer.body.includes(token)) return `the token ${token} did not come back`;
    return more(answer);
  };

const fields = ({ body }: Answer): Record<string, unknown> =>
  JSON.parse(body.toString()) as Record<string, unknown>;

const describes = (described: unknown) => (answer: Answer) =>
  isDeepStrictEqual(fields(answer).body, described)
    ? undefined
    : `another body came back: ${answer.body.toString().slice(0, 300)}`;

const get =
  (target: (token: string, play: Play) => string, status = 200): Make =>
  (play, token) => {
    const method = play.random.chance(10) ? 'HEAD' : 'GET';
    return {
      method,
      target: target(token, play),
      check: answers(status, method === 'HEAD' ? undefined : token),
    };
  };

const post =
  (
    path: string,
    headers: readonly string[] = [],
    check?: (token: string, sent: Payload) => Asked['check'],
  ): Make =>
  (play, token) => {
    const sent = payload(play.random, play.bait());
    return {
      method: 'POST',
      target: `${path}?token=${token}${play.random.chance(30) ? '&lease=1' : ''}`,
      headers: [...sent.headers, ...headers],
      body: sent.bytes,
      check: check?.(token, sent) ?? answers(200, token, describes(sent.described)),
    };
  };

const hasToken = (token: string) => answers(200, token);

const READING: readonly Make[] = [
  get((token, { random }) => `/api/items/${random.word()}?token=${token}&q=${random.word()}`),
  get(
    (token, { random }) => `/api/files/${random.word()}/${random.word()}%2F${random.word()}?token=${token}`,
  ),
  get((token) => `/api/ticks?token=${token}`),
  get((token) => `/page?token=${token}`),
  get((token) => `/api/conflict?token=${token}`, 409),
  (_play, token) => ({ method: 'GET', target: `/notes.txt?${token}`, check: answers(200) }),
  (_play, token) => ({
    method: 'GET',
    target: `/numbers.txt?${token}`,
    headers: ['Range: bytes=5-20'],
    check: answers(206),
  }),
  (_play, token) => ({ method: 'GET', target: `/numbers.txt?${token}`, check: answers(200) }),
  (_play, token) => ({ method: 'GET', target: `/api/nowhere?token=${token}`, check: answers(404) }),
  (_play, token) => ({
    method: 'GET',
    target: `/api/admin/nowhere?token=${token}`,
    check: answers(401, token),
  }),
  (_play, token) => ({
    method: 'PUT',
    target: `/api/echo?token=${token}`,
    body: Buffer.from('1'),
    check: answers(405),
  }),
  (_play, token) => ({ method: 'OPTIONS', target: `/api/echo?token=${token}`, check: answers(204) }),
  (_play, token) => ({
    method: 'OPTIONS',
    target: `/api/echo?token=${token}`,
    headers: ['Access-Control-Request-Method: POST'],
    check: answers(204),
  }),
  ({ random }, token) => ({
    method: 'DELETE',
    target: `/api/items/${random.word()}?token=${token}`,
    check: answers(204),
  }),
  (play) => {
    play.mayFail = true;
    return { method: 'GET', target: '/api/boom', check: answers(500) };
  },
];

const WRITING: readonly Make[] = [
  post('/api/echo'),
  post('/api/echo'),
  post('/api/later'),
  post('/api/signed/letter'),
  post('/api/admin/upload', ['X-Key: open']),
  post('/api/admin/upload', [], (token) => answers(401, token)),
  post('/api/signed/letter', ['X-Signature: bad'], (token) => answers(403, token)),
  post('/api/stream/events', [], hasToken),
  post('/api/stream/iterator', [], hasToken),
  post('/api/stream/left', [], hasToken),
  post('/api/stream/unread', [], hasToken),
  (play, token) => {
    const path = play.random.pick(['events', 'iterator', 'left', 'unread', 'limited']);
    return { method: 'POST', target: `/api/stream/${path}?token=${token}`, check: hasToken(token) };
  },
  post('/form', [], () => answers(303)),
  post('/api/nowhere', [], () => answers(404)),
  (_play, token) => ({
    method: 'POST',
    target: `/api/small?token=${token}`,
    body: Buffer.from('x'.repeat(17)),
    check: answers(413),
  }),
  (_play, token) => ({
    method: 'POST',
    target: `/api/stream/limited?token=${token}`,
    body: Buffer.from('x'.repeat(64)),
    check: answers(200, token),
  }),
  (_play, token) => ({ method: 'POST', target: `/api/visits?token=${token}`, check: answers(200, token) }),
];

/** A request, well-formed, with an answer that is known. */
export function asked(play: Play): Asked {
  const make = play.random.pick(play.random.chance(45) ? READING : WRITING);
  return written(make(play, play.token()), play.random);
}

/** One with a body that is echoed. */
export const askedEcho = (play: Play): Asked => written(post('/api/echo')(play, play.token()), play.random);
