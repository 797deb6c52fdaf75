import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline, type Readable, Transform } from 'node:stream';
import type { Io } from '../http/index.js';
import { type HeaderList, headerOf } from '../http/internal.js';
import { OpenStreams } from './events.js';
import type { Inspector, News } from './inspector.js';
import { recordOf } from './record.js';

/** Where pages hear of the last save. */
export const NOTICE_PATH = '/_fwk/notice';

const STYLE = `
:host { all: initial !important }
div { background: canvas; border: 1px solid light-dark(#b3261e, #f59a94); border-left-width: 5px; border-radius: 6px; bottom: 12px;
  box-shadow: 0 4px 24px #0006; box-sizing: border-box; color: canvastext; color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif;
  max-height: 50vh; max-width: min(40rem, 100vw - 24px); overflow: auto; overflow-wrap: anywhere; padding: 10px 14px; position: fixed;
  right: 12px; z-index: 2147483647 }
p, ul { margin: 0 }
ul { padding: 6px 0 6px 1.2em; white-space: pre-wrap }
.last { background: canvas; bottom: -10px; display: flex; justify-content: space-between; margin-bottom: -10px; padding: 4px 0 10px;
  position: sticky }
a { color: light-dark(#0b57d0, #8ab4f8) }
button { font: inherit }
@media print { div { display: none } }
`;

/**
 * Shows what the server tells, all of it as text. A page that nobody looks at gives its connection back, and asks again when it
 * is looked at: browsers have six per server. Letters of ASCII alone, which nearly all encodings of pages have.
 */
const SCRIPT = `(() => {
document.currentScript.remove();
let events, host, shown;
const make = (name, given, ...inside) => {
  const made = Object.assign(document.createElement(name), given);
  made.append(...inside);
  return made;
};
// Whatever <base> says.
const at = (path) => location.origin + path;
const link = (path, text) => make('a', { href: at(path), target: '_blank', rel: 'noopener' }, text);
const item = ({ code, file, message }) => make('li', {},
  ...(code ? [code, ' '] : []),
  ...(file ? [make('strong', {}, file + ': ')] : []), message);
const hide = () => { host?.remove(); host = undefined; };
const show = (told) => {
  if (told === shown) return;
  shown = told;
  hide();
  const { problems, more } = JSON.parse(told);
  if (problems.length === 0) return;
  host = make('fwk-notice');
  const style = new CSSStyleSheet();
  style.replaceSync(${JSON.stringify(STYLE)});
  const root = host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [style];
  const box = make('div');
  box.setAttribute('role', 'alert');
  root.append(box);
  document.documentElement.append(host);
  box.append(
    make('p', {}, make('strong', {}, 'The last save is not served'), ', the version before it is:'),
    make('ul', {}, ...problems.map(item), ...(more > 0 ? [make('li', {}, 'and ' + more + ' more')] : [])),
    make('p', { className: 'last' }, link('/_fwk', 'More at /_fwk'), make('button', { type: 'button', onclick: hide }, 'Hide')),
  );
};
let pause = 1000;
const wait = () => {
  events?.close();
  if (document.hidden) return;
  events = new EventSource(at('${NOTICE_PATH}'));
  events.onmessage = ({ data }) => {
    pause = 1000;
    show(data);
  };
  // A proxy has answered for the server: browsers do not try that again.
  events.onerror = () => events.readyState === EventSource.CLOSED && setTimeout(wait, pause *= 2);
};
document.addEventListener('visibilitychange', wait);
addEventListener('pagehide', () => events?.close());
addEventListener('pageshow', wait);
})();`;

/** The element that is added to pages. */
const NOTICE = `\n<script>${SCRIPT}</script>\n`;

/** By which a policy allows it (CSP 3 §2.3.1). */
const NOTICE_HASH = `'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`;

type Directive = readonly [name: string, ...sources: string[]];

/** These forbid what is inline, whatever else is said of it (CSP 3 §6.7.3.2). */
const STRICT = /^'(?:nonce-|sha(?:256|384|512)-|strict-dynamic')/i;

/**
 * The value of a Content-Security-Policy that allows the script with this hash and connections to this address beside what it
 * allowed, and nothing else.
 */
const allowing = (value: string, hash: string, address: string | undefined): string =>
  value
    .split(',')
    .map((policy) => {
      const directives = directivesOf(policy);
      const scripts = withSource(directives, ['script-src-elem', 'script-src'], hash, allowsInline);
      const all =
        address === undefined ? scripts : withSource(scripts, ['connect-src'], address, allowsServer);
      return all.map((directive) => directive.join(' ')).join('; ');
    })
    .join(', ');

const directivesOf = (policy: string): readonly Directive[] =>
  policy.split(';').flatMap((directive): Directive[] => {
    const [name = '', ...sources] = directive.trim().split(/\s+/);
    return name === '' ? [] : [[name, ...sources]];
  });

/** `source` in the first directive of these names, or in a new one that has the sources of `default-src`. */
function withSource(
  directives: readonly Directive[],
  names: readonly [string, ...string[]],
  source: string,
  isAllowed: (sources: readonly string[]) => boolean,
): readonly Directive[] {
  const named = (name: string) => directives.find(([one]) => one.toLowerCase() === name);
  const own = names.map(named).find((one) => one !== undefined);
  const [name, ...sources] = own ?? named('default-src') ?? [''];
  if (name === '' || isAllowed(sources)) return directives;
  const all = [...sources.filter((one) => one.toLowerCase() !== "'none'"), source];
  return own
    ? directives.map((one) => (one === own ? [name, ...all] : one))
    : [...directives, [names[0], ...all]];
}

const allowsInline = (sources: readonly string[]): boolean =>
  sources.some((one) => one.toLowerCase() === "'unsafe-inline'") && !sources.some((one) => STRICT.test(one));

const allowsServer = (sources: readonly string[]): boolean =>
  sources.some((one) => one === '*' || one.toLowerCase() === "'self'");

/** Responses that a browser will show as a page, to people who may know what is wrong with the project. */
const shown = new WeakSet<ServerResponse>();

/** Responses that have the script: their policies have to allow it. */
const noticed = new WeakSet<ServerResponse>();

/** Pages that look after themselves: those of errors, and those whose policy is in them, where it cannot be changed. */
const LEFT_ALONE = /new EventSource\('\/\.fwk\/dev\?|http-equiv\s*=\s*["']?content-security-policy/i;

/** Say that `out` answers one who may be told, if it is a page that a browser opens: programs, frames and scripts get what the app has made. */
export function noteShown(out: ServerResponse, isStranger: () => boolean): void {
  if (isNavigation(out.req.headers) && !isStranger()) shown.add(out);
}

/** Browsers say what for they ask, on this machine and over https alone (Fetch Metadata §2.1), or that they would rather have https. */
const isNavigation = (headers: IncomingHttpHeaders): boolean =>
  headers['sec-fetch-dest'] === undefined
    ? headers['upgrade-insecure-requests'] === '1'
    : headers['sec-fetch-dest'] === 'document';

/** Writes as `io` does, with the script at the end of pages that a browser opens. Has to be around all that code bodies. */
export const addingNotice = (io: Io): Io => ({
  ...io,
  write(out, status, headers, type, body, length) {
    if (!takesNotice(out, status, headers, type) || LEFT_ALONE.test(textOf(body)))
      return io.write(out, status, headers, type, body, length);
    noticed.add(out);
    const whole = withNotice(body);
    const record = recordOf(out.req);
    record?.keepMade(body);
    record?.keepGiven('content-length', lengthOf(body), lengthOf(whole));
    return io.write(out, status, headers, type, whole, length);
  },
  encode(out, head, source) {
    if (!takesNotice(out, head.status, head.headers, head.type)) return io.encode?.(out, head, source);
    const record = recordOf(out.req);
    const whole = endingWithNotice(source, (piece) => record?.keepMade(piece));
    const coded = io.encode?.(out, head, whole) ?? whole;
    allowNotice(out, head.headers);
    out.removeHeader('content-length');
    return coded;
  },
});

/** Writes as `io` does, with policies that allow the script. Has to be inside of all that sets policies. */
export const allowingNotice = (io: Io): Io => ({
  ...io,
  write(out, status, headers, ...rest) {
    if (noticed.has(out)) allowNotice(out, headers ?? []);
    return io.write(out, status, headers, ...rest);
  },
  writeEmpty(out, status, headers) {
    // The page that a browser has kept gets the policies of a 304 (RFC 9111 §3.2).
    if (shown.has(out)) allowNotice(out, headers ?? []);
    io.writeEmpty(out, status, headers);
  },
});

function takesNotice(
  out: ServerResponse,
  status: number,
  headers: HeaderList | undefined,
  type: string | undefined,
): boolean {
  if (!shown.has(out) || type === undefined || !isHtml(type)) return false;
  if (status === 206 || out.req.method === 'HEAD') return false;
  const given = (name: string) => headerOf(headers ?? [], name) ?? out.getHeader(name);
  // What is downloaded is kept.
  return (
    given('content-encoding') === undefined && !/^attachment/i.test(String(given('content-disposition')))
  );
}

/** In an encoding that has the letters of ASCII as they are. */
const isHtml = (type: string): boolean =>
  /^text\/html\s*(?:;|$)/i.test(type) && !/charset="?utf-(?:16|32)/i.test(type);

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

const textOf = (body: string | Uint8Array): string =>
  typeof body === 'string' ? body : bytesOf(body).toString('latin1');

const lengthOf = (body: string | Uint8Array): string => String(Buffer.byteLength(body));

const withNotice = (body: string | Uint8Array): string | Uint8Array =>
  typeof body === 'string' ? body + NOTICE : Buffer.concat([body, Buffer.from(NOTICE)]);

/** `keep` gets the pieces of the source. */
function endingWithNotice(source: Readable, keep: (piece: string | Uint8Array) => void): Readable {
  const end = new Transform({
    // What the source may yield is checked by who writes it.
    objectMode: true,
    highWaterMark: 1,
    transform: (piece, _encoding, done) => {
      if (typeof piece === 'string' || piece instanceof Uint8Array) keep(piece);
      done(null, piece);
    },
    flush: (done) => done(null, NOTICE),
  });
  // Who reads it gets the error of the source, which ends with it.
  return pipeline(source, end, () => {});
}

function allowNotice(out: ServerResponse, headers: HeaderList): void {
  const { host = '' } = out.req.headers;
  // A policy cannot name an address of IPv6.
  const address = /^[\w.-]+(?::\d+)?$/.test(host) ? `${host}${NOTICE_PATH}` : undefined;
  const allowed = (name: string, given: string): string => {
    const sent = allowing(given, NOTICE_HASH, address);
    recordOf(out.req)?.keepGiven(name, given, sent);
    return sent;
  };
  for (const [at, name] of headers.entries())
    if (at % 2 === 0 && isPolicy(name)) headers[at + 1] = allowed(name, headers[at + 1] ?? '');
  for (const name of out.getHeaderNames().filter(isPolicy))
    out.setHeader(
      name,
      [out.getHeader(name) ?? []].flat().map((value) => allowed(name, String(value))),
    );
}

const isPolicy = (name: string): boolean => /^content-security-policy(?:-report-only)?$/i.test(name);

/** Pages that may be open. */
const MAX_PAGES = 100;
/** The most problems that a page is told of, and characters of each. */
const MAX_PROBLEMS = 5;
const MAX_CHARACTERS = 1_000;
/** Milliseconds after which a page whose connection was cut, by a restart say, tries again. */
const RETRY_MS = 2_000;

/** The pages of the app that are open: each is told why the last save is not served, and when one is again. */
export class NoticeStream implements News {
  readonly #inspector: Inspector;
  readonly #open: OpenStreams;
  #told = '';

  constructor(inspector: Inspector) {
    this.#inspector = inspector;
    inspector.listen(this);
    this.#open = new OpenStreams(MAX_PAGES, inspector.runtime);
  }

  add(out: ServerResponse): void {
    this.#told = this.#text();
    this.#open.add(out, `retry: ${RETRY_MS}\n\n${this.#told}`);
  }

  request(): void {}

  state(): void {
    if (this.#open.isEmpty) return;
    const text = this.#text();
    if (text === this.#told) return;
    this.#told = text;
    this.#open.tell(text);
  }

  #text(): string {
    const { problems, reloads } = this.#inspector;
    const told = {
      // A page that has hidden what it was told shows the same mistake of another save.
      at: problems.length > 0 ? reloads[0]?.at : undefined,
      problems: problems.slice(0, MAX_PROBLEMS).map(({ code, file, message }) => ({
        code,
        file,
        message: message.slice(0, MAX_CHARACTERS),
      })),
      more: Math.max(0, problems.length - MAX_PROBLEMS),
    };
    return `data: ${JSON.stringify(told)}\n\n`;
  }
}
