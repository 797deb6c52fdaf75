import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Runtime } from '../../../../kernel/index.js';
import { EventStreams } from '../../page-kit/event-streams.js';
import type { HttpResponse } from '../../response/response.js';
import { ERROR_PAGE_CSP, sendPage } from '../error-page.js';

/** The event stream of open pages. No route can have this URL, because the name begins with a dot. */
const PATH = '/.fwk/dev';

/** Milliseconds after which a page reconnects if its connection was closed, for example by a restart. */
const RETRY_MS = 500;
/** If a proxy answers for the server, browsers don't reconnect. The page then retries after twice this time, and doubles it each time. */
const FIRST_PAUSE_MS = 500;

/** The most pages that may be connected. A new page replaces the oldest. */
const MAX_WAITING = 100;

/** Browsers don't dispatch an event without data. */
const RELOAD_EVENT = 'data: reload\n\n';

/** The version of each page, by the project (or problem) that answered. */
const versions = new WeakMap<object, string>();

/**
 * A browser has six connections per server, so a hidden page closes its connection and reconnects when it becomes visible. A
 * page that is already reloading must not start another reload.
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

/** Send an error page that reloads with another version; not for POST, whose effects might repeat. */
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

/** The error pages that are open in browsers. Each holds a connection on which it receives the event to reload. */
export class OpenPages {
  readonly #waiting: EventStreams;
  #answering: object | undefined;
  #version: string | undefined;

  constructor(runtime: Runtime) {
    this.#waiting = new EventStreams(MAX_WAITING, runtime);
  }

  /** Make open pages reload, because `answering`, such as a project, is served from now on. Returns its rollback. */
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

  /** Keeps the connections of open pages until another version is served. */
  readonly around = (raw: IncomingMessage, out: ServerResponse, next: RequestListener): void => {
    if (raw.method !== 'GET' || !raw.url?.startsWith(`${PATH}?`)) return next(raw, out);
    const isCurrent = raw.url.slice(PATH.length + 1) === this.#version;
    this.#waiting.add(out, isCurrent ? `retry: ${RETRY_MS}\n\n` : RELOAD_EVENT);
    if (!isCurrent) out.end();
  };
}
