import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { parsed } from '../../client/internal.js';
import type { BaseRoute } from '../../kernel/index.js';
import { isHttpRoute } from '../../plugins/http/index.js';
import { testError } from '../test-error.js';
import { Queue, refusalOf, WAIT_MS, within } from './queue.js';
import type { TestClosing, TestSocket } from './test-visitor.js';

/**
 * The connection of `raw` once it is open. Rejects with a TestRefusal where the handshake was answered in another way. `onCookies`
 * is called with those of the handshake.
 */
export async function testSocket(
  raw: WebSocket,
  path: string,
  allJson: boolean,
  onCookies: (headers: readonly string[]) => void,
): Promise<TestSocket> {
  const messages = new Queue<unknown>();
  const closed = new Promise<TestClosing>((resolve) => {
    raw.on('close', (code: number, reason: Buffer) => {
      messages.end();
      resolve({ code, reason: String(reason) });
    });
  });
  raw.on('message', (data: Buffer, isBinary: boolean) =>
    messages.push(isBinary ? data : parsed(String(data))),
  );
  await opened(raw, path, onCookies);
  // An error is followed by the close, which tells all there is to know.
  raw.on('error', () => {});
  const next = async (): Promise<unknown> => {
    const { taken, giveUp } = messages.take();
    const result = await within(taken, WAIT_MS, () => {
      giveUp();
      return `WS ${path} sent no message in ${WAIT_MS / 1_000} s`;
    });
    if (!result.done) return result.value;
    const { code, reason } = await closed;
    throw testError('FWK904', `WS ${path} sent no message more: it was closed with ${code} "${reason}"`);
  };
  return {
    protocol: raw.protocol,
    send(message) {
      if (raw.readyState !== raw.OPEN) throw testError('FWK904', `WS ${path} is closed: nothing can be sent`);
      raw.send(dataOf(message, allJson));
    },
    next,
    close(code, reason) {
      raw.close(code, reason);
      return closed;
    },
    closed,
    terminate: () => raw.terminate(),
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const { done, value } = await messages.take().taken;
        if (done) return;
        yield value;
      }
    },
  };
}

function opened(
  raw: WebSocket,
  path: string,
  onCookies: (headers: readonly string[]) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    raw.once('open', resolve).once('error', reject);
    raw.once('upgrade', ({ headers }: IncomingMessage) => onCookies(headers['set-cookie'] ?? []));
    raw.once('unexpected-response', (_request, answer: IncomingMessage) => {
      onCookies(answer.headers['set-cookie'] ?? []);
      refused(answer, path).then(reject, reject);
    });
  });
}

async function refused(answer: IncomingMessage, path: string): Promise<Error> {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = answer;
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece as Buffer);
  const body = status === 204 || status === 304 ? null : Buffer.concat(pieces);
  return refusalOf(new Response(body, { status, statusText, headers }), `WS ${path}`, '101');
}

function dataOf(message: unknown, allJson: boolean): string | Uint8Array {
  if (message instanceof Uint8Array) return message;
  if (message instanceof ArrayBuffer) return new Uint8Array(message);
  if (typeof message === 'string' && !allJson) return message;
  const text: string | undefined = JSON.stringify(message);
  if (text !== undefined) return text;
  throw testError(
    'FWK502',
    `A message is text, bytes or what JSON has, not a value of type ${typeof message}`,
    TypeError,
  );
}

/** Whether the socket that `path` leads to takes nothing but JSON: it has a schema for `receive`. */
export function takesJson(routes: readonly BaseRoute[], path: string): boolean {
  const asked = new URL(path, 'http://localhost').pathname.replace(/\/$/, '').split('/');
  const fits = (pattern: readonly string[]): boolean =>
    pattern.every((segment, index) => /^[:*]/.test(segment) || segment === safelyDecoded(asked[index])) &&
    (pattern.length === asked.length || (pattern.at(-1) ?? '').startsWith('*'));
  const found = routes
    .filter(isHttpRoute)
    .filter(({ kind, path: pattern }) => kind === 'ws' && fits(pattern.split('/')));
  // A literal segment goes before a parameter: characters below letters would be asked first otherwise.
  found.sort((a, b) => specificity(b.path).localeCompare(specificity(a.path)));
  return found[0]?.checks?.includes('receive') ?? false;
}

const specificity = (path: string): string =>
  path.replace(/\/[^/]*/g, (segment) => (segment[1] === '*' ? '0' : segment[1] === ':' ? '1' : '2'));

function safelyDecoded(segment = ''): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
