import { createHash } from 'node:crypto';

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
  ...(code ? [link('/_fwk/manual/errors/' + encodeURIComponent(code), code), ' '] : []),
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
export const NOTICE = `\n<script>${SCRIPT}</script>\n`;

/** By which a policy allows it (CSP 3 §2.3.1). */
export const NOTICE_HASH = `'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`;
