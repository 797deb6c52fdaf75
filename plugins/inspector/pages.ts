import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject } from '../../kernel/index.js';
import { onDemand } from '../../loader/index.js';
import { AroundStage, around, serverOf } from '../http/index.js';
import { callAgain, callOf, type Door, Refusal, sent, shownAnswer, valuesOf } from './caller.js';
import { EventPages } from './events.js';
import type { Inspector } from './inspector.js';
import { NOTICE_PATH, NoticeStream, noteShown } from './notice.js';
import { routeDetails } from './routes.js';
import { connectionsOf, stateOf } from './state.js';
import { requestDetails } from './views.js';

interface Asked {
  readonly inspector: Inspector;
  readonly raw: IncomingMessage;
  readonly out: ServerResponse;
  readonly rest: RestOfBody;
  readonly query: URLSearchParams;
  readonly pages: EventPages;
  readonly notices: NoticeStream;
  readonly mcp: McpAnswer;
}

type Answer = (asked: Asked) => unknown;

/** Answers that only look, by path. */
const LOOKS: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  ['/_fwk', sendPage],
  ['/_fwk/', sendPage],
  ['/_fwk/state', async ({ inspector, out }) => json(out, 200, await stateOf(inspector))],
  ['/_fwk/events', ({ pages, out }) => pages.add(out)],
  [NOTICE_PATH, ({ notices, out }) => notices.add(out)],
  // What changes with each message, of which nobody is told.
  ['/_fwk/sockets', async ({ inspector, out }) => json(out, 200, await connectionsOf(inspector))],
  ['/_fwk/route', sendRoute],
  ['/_fwk/request', sendRequest],
]);

/** Answers that do something, by path. */
const ACTS: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  ['/_fwk/call', callApp],
  ['/_fwk/again', callAppAgain],
]);

/** Answer requests below `/_fwk` that come from pages and programs on this machine. */
export async function answerPages(inspector: Inspector, mcp: McpAnswer): Promise<void> {
  const server = await serverOf(inspector.runtime);
  // After it, since what is made last ends first: it waits for all that is open.
  const pages = new EventPages(inspector);
  const notices = new NoticeStream(inspector);
  const access = await server.devAccess();
  around(inspector.runtime, { name: 'inspector', stage: AroundStage.pages }, (raw, out, next) => {
    const target = raw.url ?? '';
    if (!inspector.isOn) return next(raw, out);
    noteShown(out, () => access.refusal(raw) !== undefined);
    if (!target.startsWith('/_fwk')) return next(raw, out);
    const [path = '', search = ''] = target.split('?', 2);
    const isLook = LOOKS.has(path);
    const answer = LOOKS.get(path) ?? ACTS.get(path) ?? (path === '/_fwk/mcp' ? answerMcp : undefined);
    if (!answer) return next(raw, out);
    const reason = access.refusal(raw);
    const rest = { begin: () => access.beginBody(out), discard: () => access.discardBody(raw, out) };
    const { method = '' } = raw;
    const refused = { raw, out, rest };
    if (reason !== undefined) refuse(refused, 403, reason);
    else if (isLook ? method !== 'GET' && method !== 'HEAD' : method !== 'POST')
      refuse(refused, 405, `This answers ${isLook ? 'GET' : 'POST'}`, {
        Allow: isLook ? 'GET, HEAD' : 'POST',
      });
    else {
      const asked = { inspector, raw, out, rest, query: new URLSearchParams(search), pages, notices, mcp };
      Promise.resolve()
        .then(() => answer(asked))
        .catch((thrown: unknown) => {
          if (out.headersSent) return void out.destroy();
          const { status, message } = thrown instanceof Refusal ? thrown : new Refusal(String(thrown), 500);
          refuse(refused, status, message);
        });
    }
  });
}

async function sendPage({ out }: Asked): Promise<void> {
  const { html, policy } = await readPage();
  out
    .writeHead(200, {
      ...GUARDS,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
    })
    .end(html);
}

async function sendRoute({ inspector, query, out }: Asked): Promise<void> {
  const { version } = inspector;
  const found = version && (await routeDetails(version, query.get('id') ?? ''));
  if (!found) throw new Refusal('There is no such route now');
  json(out, 200, found);
}

function sendRequest({ inspector, query, out }: Asked): void {
  const record = inspector.recorder.find(Number(query.get('id')));
  if (!record) throw new Refusal('This request is not kept any more: only the last hundred are');
  json(out, 200, requestDetails(record));
}

/** Send a request to the app as the page would, with the browser's cookies of the app. */
async function callApp({ inspector, raw, out, rest }: Asked): Promise<void> {
  const { host = 'localhost', cookie } = raw.headers;
  const given = await readJson(raw, rest);
  const call = callOf(given, host);
  const isKnown = (name: string): boolean => valuesOf(call.headers, name).length > 0;
  const own = [
    ...(cookie === undefined || isKnown('cookie') ? [] : ['Cookie', cookie]),
    ...(isKnown('origin') ? [] : ['Origin', `http://${host}`, 'Sec-Fetch-Site', 'same-origin']),
  ];
  const answer = await sent({ ...call, headers: [...call.headers, ...own] }, doorOf(raw));
  const cookies = valuesOf(answer.headers, 'set-cookie');
  json(
    out,
    200,
    shownAnswer(answer, inspector.recorder),
    cookies.length > 0 ? { 'Set-Cookie': cookies } : {},
  );
}

async function callAppAgain({ inspector, raw, out, rest }: Asked): Promise<void> {
  const given = await readJson(raw, rest);
  const record = inspector.recorder.find(Number(isObject(given) ? given.id : Number.NaN));
  if (!record) throw new Refusal('This request is not kept any more: only the last hundred are');
  const answer = await sent(callAgain(record), doorOf(raw));
  json(out, 200, shownAnswer(answer, inspector.recorder));
}

async function answerMcp({ inspector, raw, out, rest, mcp }: Asked): Promise<void> {
  const body = await readJson(raw, rest);
  const headers = new Headers();
  for (const [name, value] of Object.entries(raw.headers)) headers.set(name, String(value));
  // Whatever Host says, which need not be what a URL can have.
  const request = new Request('http://localhost/_fwk/mcp', { method: 'POST', headers });
  const response = await mcp(inspector, request, body, doorOf(raw));
  const text = await response.text();
  // Node knows what becomes of this one.
  response.headers.delete('connection');
  out.writeHead(response.status, { ...GUARDS, ...Object.fromEntries(response.headers) }).end(text);
}

function doorOf({ socket, headers: { host = 'localhost' } }: IncomingMessage): Door {
  const { localAddress = '127.0.0.1', localPort = 0 } = socket;
  return { address: localAddress, port: localPort, host };
}

/** Answers a message of an MCP client, of which `body` is what was sent. `door`: where it can ask the app. */
export type McpAnswer = (
  inspector: Inspector,
  request: Request,
  body: unknown,
  door: Door,
) => Promise<Response>;

/** The page is one file beside the bundle, made of `page/`. Its policy allows what is in it, and nothing else. */
const readPage = onDemand(async () => {
  const html = await readFile(new URL('./inspector.html', import.meta.url), 'utf8');
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(html, 'script')}`,
    `style-src ${hashOf(html, 'style')}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ];
  return { html, policy: policy.join('; ') };
});

/** The hash of what is within an element (CSP 3 §2.3.1). */
function hashOf(html: string, element: string): string {
  const text = html.slice(html.indexOf(`<${element}>`) + element.length + 2, html.indexOf(`</${element}>`));
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** The most bytes that are taken of a page or an assistant. */
const MAX_BODY_BYTES = 2_097_152;

/** How a body is begun to be read, and what is left of it discarded. */
interface RestOfBody {
  /** Call it before the body is read. */
  readonly begin: () => void;
  /** Call it if the body was not read to its end. */
  readonly discard: () => void;
}

interface Refused {
  readonly raw: IncomingMessage;
  readonly out: ServerResponse;
  readonly rest: RestOfBody;
}

/** The body of a request. Throws a Refusal where it is no JSON, or too long: the rest may still be on its way. */
async function readJson(raw: IncomingMessage, rest: RestOfBody): Promise<unknown> {
  if (!/^application\/json\b/i.test(raw.headers['content-type'] ?? ''))
    throw new Refusal('The body is not JSON. Send it with Content-Type: application/json');
  const tooLong = new Refusal(`The body is longer than ${MAX_BODY_BYTES} bytes`, 413);
  if (Number(raw.headers['content-length']) > MAX_BODY_BYTES) throw tooLong;
  const pieces: Buffer[] = [];
  let size = 0;
  rest.begin();
  // Left early, a plain loop would end the connection, and the answer with it.
  for await (const piece of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += piece.byteLength;
    if (size > MAX_BODY_BYTES) throw tooLong;
    pieces.push(piece);
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString());
  } catch {
    throw new Refusal('The body is not JSON');
  }
}

function json(out: ServerResponse, status: number, value: unknown, headers: object = {}): void {
  const text = JSON.stringify(value);
  out
    .writeHead(status, { ...GUARDS, 'Content-Type': 'application/json; charset=utf-8', ...headers })
    .end(text);
}

/** Answer with an error message as JSON. */
function refuse({ raw, out, rest }: Refused, status: number, message: string, headers: object = {}): void {
  // What is left of the body is discarded: a client that sends it before it reads would get no answer.
  const close = raw.complete ? {} : { Connection: 'close' };
  if (!raw.complete) rest.discard();
  json(out, status, { status, message }, { ...headers, ...close });
}

/** Headers of all answers: no other page may embed or read them. */
const GUARDS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};
