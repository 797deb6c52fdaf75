import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Runtime } from '../../../../kernel/index.js';
import { EventStreams } from '../../page-kit/event-streams.js';
import type { HttpResponse } from '../../response/response.js';
import { ERROR_PAGE_CSP, sendPage } from '../error-page.js';

/** Where pages wait. No file can be a route there, since its name begins with a dot; a catch-all is not asked. */
const PATH = '/.fwk/dev';

/** Milliseconds after which a page whose connection was cut, by a restart say, tries again. */
const RETRY_MS = 500;
/** Half of what a page waits for that a proxy has answered for the server; then twice as long. Browsers do not try that again. */
const FIRST_PAUSE_MS = 500;

/** Pages that may wait at one time: the oldest makes room. */
const MAX_WAITING = 100;

/** An event without data would not be dispatched. */
const RELOAD_EVENT = 'data: reload\n\n';

/** The versions of pages, by the project (or problem) that they were answered by. */
const versions = new WeakMap<object, string>();

/**
 * A browser has six connections per server: a page that nobody looks at gives its own back, and asks again when it is
 * looked at. One that is loading already must not start again.
 */
const SCRIPT = `const { version } = document.currentScript.dataset;
let events;
let pause = ${FIRST_PAUSE_MS};
const wait = () => {
  events?.close();
  if (document.hidden) return;
  events = new EventSource('${PATH}?' + version);
  events.onerror = () => {
    if (events.readyState === EventSource.CLOSED) setTimeout(wait, pause *= 2);
  };
  events.onmessage = () => {
    events.close();
    document.removeEventListener('visibilitychange', wait);
    location.reload();
  };
};
document.addEventListener('visibilitychange', wait);
wait();`;
const SCRIPT_HASH = createHash('sha256').update(SCRIPT).digest('base64');

/**
 * Send the page of an error, which loads itself again when another version of the project answers. One that came of a
 * POST does not: sending that again might do something twice.
 */
export function sendReloading(res: HttpResponse, html: string, answering: object): void {
  const version = versions.get(answering);
  const { method } = res.raw.req;
  if (version === undefined || (method !== 'GET' && method !== 'HEAD')) return sendPage(res, html);
  sendPage(
    res,
    `${html}<script data-version="${version}">${SCRIPT}</script>\n`,
    `${ERROR_PAGE_CSP}; script-src 'sha256-${SCRIPT_HASH}'; connect-src 'self'`,
  );
}

/** The pages of errors that are open in browsers: each holds a connection, over which it gets the event to load itself again. */
export class OpenPages {
  readonly #waiting: EventStreams;
  #answering: object | undefined;
  #version: string | undefined;

  constructor(runtime: Runtime) {
    this.#waiting = new EventStreams(MAX_WAITING, runtime);
  }

  /** `answering`, a project say, answers from now on: what is open loads itself again. Returns its rollback. */
  begin(answering: object): () => void {
    const before = this.#answering;
    this.#answers(answering);
    return () => {
      if (this.#answering === answering) this.#answers(before);
    };
  }

  #answers(answering: object | undefined): void {
    this.#version = randomUUID();
    this.#answering = answering;
    if (answering) versions.set(answering, this.#version);
    this.#waiting.end(RELOAD_EVENT);
  }

  /** Keeps the connections of pages open until another version answers. */
  readonly around = (raw: IncomingMessage, out: ServerResponse, next: RequestListener): void => {
    if (raw.method !== 'GET' || !raw.url?.startsWith(`${PATH}?`)) return next(raw, out);
    const isCurrent = raw.url.slice(PATH.length + 1) === this.#version;
    this.#waiting.add(out, isCurrent ? `retry: ${RETRY_MS}\n\n` : RELOAD_EVENT);
    if (!isCurrent) out.end();
  };
}
