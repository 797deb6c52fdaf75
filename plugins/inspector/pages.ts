import type { IncomingMessage, ServerResponse } from 'node:http';
import { messageOf } from '../../kernel/index.js';
import { onDemand } from '../../loader/index.js';
import { AroundStage, around, serverOf } from '../http/index.js';
import { type EventStreams, pageKit } from '../http/internal.js';
import { type AppAddress, callOf, Refusal, repeatedCall, send, shownAnswer, valuesOf } from './caller.js';
import type { Inspector } from './inspector.js';
import { type InspectorView, viewsIn } from './plugin-views.js';
import type { RequestRecord } from './record.js';
import { routeDetails } from './routes.js';
import { connectionsOf, stateOf } from './state.js';
import { viewOf } from './tool-page.js';
import { requestDetails, shownRequest } from './views.js';

/** How long changes are collected before they are sent, in milliseconds: a page renders all again. */
const GATHER_MS = 200;
/** Maximum number of open inspector pages. */
const MAX_PAGES = 20;

class EventPages {
  readonly #open: EventStreams;
  readonly #requests = new Set<RequestRecord>();
  #hasState = false;
  #timer: NodeJS.Timeout | undefined;

  constructor({ runtime, news }: Inspector, kit: Awaited<ReturnType<typeof pageKit>>) {
    this.#open = new kit.EventStreams(MAX_PAGES, runtime);
    runtime.onClose(() => clearTimeout(this.#timer));
    news.on('request', (record) => {
      if (!this.#open.isEmpty) this.#requests.add(record);
      this.#gather();
    });
    news.on('state', () => {
      this.#hasState = true;
      this.#gather();
    });
  }

  add(out: ServerResponse): void {
    this.#open.add(out, 'retry: 500\n\nevent: state\ndata: {}\n\n');
  }

  #gather(): void {
    if (!this.#open.isEmpty) this.#timer ??= setTimeout(() => this.#send(), GATHER_MS).unref();
  }

  #send(): void {
    this.#timer = undefined;
    // Under load, send only the requests that the recorder still stores.
    const requests = [...this.#requests].slice(-100).map(shownRequest);
    if (requests.length > 0) this.#open.send(`event: requests\ndata: ${JSON.stringify(requests)}\n\n`);
    if (this.#hasState) this.#open.send('event: state\ndata: {}\n\n');
    this.#requests.clear();
    this.#hasState = false;
  }
}

interface PageRequest {
  readonly inspector: Inspector;
  readonly raw: IncomingMessage;
  readonly out: ServerResponse;
  readonly query: URLSearchParams;
  readonly pages: EventPages;
  readonly mcp: McpAnswer;
  readonly body: () => Promise<unknown>;
}

type Answer = (request: PageRequest) => unknown;

const GETS: ReadonlyMap<string, Answer> = new Map<string, Answer>(
  Object.entries({
    '/_fwk': sendPage,
    '/_fwk/': sendPage,
    '/_fwk/state': ({ inspector }) => stateOf(inspector),
    '/_fwk/events': ({ pages, out }) => pages.add(out),
    // The counts change with each message, and messages are not events of the stream.
    '/_fwk/sockets': ({ inspector }) => connectionsOf(inspector),
    '/_fwk/route': async ({ inspector: { version }, query }) =>
      (version && (await routeDetails(version, query.get('id') ?? ''))) ??
      refuse('This route does not exist'),
    '/_fwk/tables': ({ inspector, query }) =>
      viewIn(inspector, query.get('title')).read(query.get('path') ?? ''),
    '/_fwk/view': sendView,
    '/_fwk/request': ({ inspector, query }) => requestDetails(recordIn(inspector, query.get('id'))),
  }),
);

const POSTS: ReadonlyMap<string, Answer> = new Map<string, Answer>(
  Object.entries({
    '/_fwk/call': callApp,
    '/_fwk/again': repeatRequest,
    '/_fwk/act': async ({ inspector, body }) => {
      const { title, action } = Object(await body());
      await viewIn(inspector, title).act(action);
      return {};
    },
    '/_fwk/mcp': answerMcp,
  }),
);

/** Answer requests below `/_fwk` from pages and programs on this machine. */
export async function answerPages(inspector: Inspector, mcp: McpAnswer): Promise<void> {
  const server = await serverOf(inspector.runtime);
  // Created after the server: resources end in reverse order, and the server waits for open streams.
  const pages = new EventPages(inspector, await pageKit());
  const access = await server.devAccess();
  around(inspector.runtime, { name: 'inspector', stage: AroundStage.pages }, (raw, out, next) => {
    const target = raw.url ?? '';
    if (!inspector.isOn || !target.startsWith('/_fwk')) return next(raw, out);
    const [path = '', search = ''] = target.split('?', 2);
    const answer = GETS.get(path) ?? POSTS.get(path);
    if (!answer) return next(raw, out);
    const methods = GETS.has(path) ? ['GET', 'HEAD'] : ['POST'];
    const body = () => readJson(raw, () => access.beginBody(out));
    const request = { inspector, raw, out, body, query: new URLSearchParams(search), pages, mcp };
    const run = async (): Promise<unknown> => {
      const reason = access.refusal(raw);
      if (reason !== undefined) return refuse(reason, 403);
      if (methods.includes(raw.method ?? '')) return answer(request);
      out.setHeader('Allow', methods.join(', '));
      return refuse(`This URL only supports ${methods[0]}`, 405);
    };
    run()
      .then((value) => value !== undefined && json(out, 200, value))
      .catch((thrown: unknown) => {
        if (out.headersSent) return void out.destroy();
        const { status, message } = thrown instanceof Refusal ? thrown : new Refusal(messageOf(thrown), 500);
        // The rest of the body is discarded: a client that sends all of it first would get no answer.
        if (!raw.complete) {
          out.setHeader('Connection', 'close');
          access.discardBody(raw, out);
        }
        json(out, status, { status, message });
      });
  });
}

async function sendPage({ out }: PageRequest): Promise<void> {
  const { html, policy } = await page();
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy };
  out.writeHead(200, { ...GUARDS, ...headers }).end(html);
}

/** Send the page of an MCP tool. Its policy gives it an origin of its own, so that it cannot reach the dev page. */
async function sendView({ raw, out, query }: PageRequest): Promise<void> {
  const { html, policy } = await viewOf(query.get('uri') ?? '', raw.headers, appAddressOf(raw));
  const frame = { 'X-Frame-Options': 'SAMEORIGIN', 'Content-Type': 'text/html; charset=utf-8' };
  out.writeHead(200, { ...GUARDS, ...frame, 'Content-Security-Policy': policy }).end(html);
}

/** Send a request to the app like the page would, with the browser's cookies of the app. */
async function callApp({ inspector, raw, out, body }: PageRequest): Promise<object> {
  const { host = 'localhost', cookie } = raw.headers;
  const call = callOf(await body(), host);
  const isKnown = (name: string): boolean => valuesOf(call.headers, name).length > 0;
  const own = [
    ...(cookie === undefined || isKnown('cookie') ? [] : ['Cookie', cookie]),
    ...(isKnown('origin') ? [] : ['Origin', `http://${host}`, 'Sec-Fetch-Site', 'same-origin']),
  ];
  const answer = await send({ ...call, headers: [...call.headers, ...own] }, appAddressOf(raw));
  const cookies = valuesOf(answer.headers, 'set-cookie');
  if (cookies.length > 0) out.setHeader('Set-Cookie', cookies);
  return shownAnswer(answer, inspector.recorder);
}

async function repeatRequest({ inspector, raw, body }: PageRequest): Promise<object> {
  const record = recordIn(inspector, Object(await body()).id);
  return shownAnswer(await send(repeatedCall(record), appAddressOf(raw)), inspector.recorder);
}

const viewIn = ({ version }: Inspector, title: unknown): InspectorView =>
  viewsIn(version?.project).find((view) => view.title === title) ?? refuse('This view does not exist');

const recordIn = ({ recorder }: Inspector, id: unknown): RequestRecord =>
  recorder.find(Number(id)) ?? refuse('This request is no longer stored: only the last hundred are');

async function answerMcp({ inspector, raw, out, body, mcp }: PageRequest): Promise<void> {
  const message = await body();
  const headers = new Headers();
  for (const [name, value] of Object.entries(raw.headers)) headers.set(name, String(value));
  // Does not use the Host header, which may be invalid in a URL.
  const request = new Request('http://localhost/_fwk/mcp', { method: 'POST', headers });
  const response = await mcp(inspector, request, message, appAddressOf(raw));
  const text = await response.text();
  // Node decides whether the connection stays open.
  response.headers.delete('connection');
  out.writeHead(response.status, { ...GUARDS, ...Object.fromEntries(response.headers) }).end(text);
}

function appAddressOf({ socket, headers: { host = 'localhost' } }: IncomingMessage): AppAddress {
  const { localAddress = '127.0.0.1', localPort = 0 } = socket;
  return { address: localAddress, port: localPort, host };
}

/** Answers an MCP client's message in `body`. `door`: the address where it can send requests to the app. */
export type McpAnswer = (
  inspector: Inspector,
  request: Request,
  body: unknown,
  door: AppAddress,
) => Promise<Response>;

const page = onDemand(async () => (await pageKit()).readPage('inspector.html', "frame-src 'self'"));

/** Maximum size of a request body from a page or a coding assistant, in bytes. */
const MAX_BODY_BYTES = 2_097_152;

/** The body of a request. Throws a Refusal if it is too large or no JSON; the rest may be in transit. */
async function readJson(raw: IncomingMessage, begin: () => void): Promise<unknown> {
  if (!/^application\/json\b/i.test(raw.headers['content-type'] ?? ''))
    throw new Refusal('The body is not JSON. Send it with Content-Type: application/json');
  const tooLong = new Refusal(`The body is longer than ${MAX_BODY_BYTES} bytes`, 413);
  if (Number(raw.headers['content-length']) > MAX_BODY_BYTES) throw tooLong;
  const pieces: Buffer[] = [];
  let size = 0;
  begin();
  // Leaving a plain loop early would close the connection, and with it the answer.
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

function json(out: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value);
  out.writeHead(status, { ...GUARDS, 'Content-Type': 'application/json; charset=utf-8' }).end(text);
}

function refuse(message: string, status?: number): never {
  throw new Refusal(message, status);
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
