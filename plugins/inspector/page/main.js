import { byId, focusFilterBySlash, isTyping, make } from '../../http/page-kit/dom.js';
import { ask, tell } from './ask.js';
import { showContext } from './context.js';
import { problemList } from './failure.js';
import { showMcp, showReloads, showSockets } from './lists.js';
import { showPluginView } from './plugin-view.js';
import { showRequests } from './requests.js';
import { showRoutes } from './routes.js';
import { showTry } from './try.js';

const VIEWS = {
  requests: ['Requests', showRequests, ({ requests }) => requests.length],
  routes: ['Routes', showRoutes, ({ routes }) => routes.length],
  try: ['Try', showTry],
  ctx: ['ctx', showContext, ({ providers }) => providers.length],
  sockets: ['Sockets', showSockets, ({ counts }) => counts.sockets],
  mcp: ['MCP', showMcp, ({ members }) => members.length],
  reloads: ['Reloads', showReloads, ({ reloads }) => reloads.length],
};

const page = { state: undefined, view: undefined, shown: undefined, problems: '' };

/** `#routes/GET%20%2Fapi` is the view `routes` of `GET /api`. */
function place() {
  const [view = '', ...rest] = location.hash.slice(1).split('/');
  let detail = '';
  try {
    detail = decodeURIComponent(rest.join('/'));
  } catch {
    // The hash was not set by this page.
  }
  return { view: Object.hasOwn(VIEWS, view) ? view : 'requests', detail };
}

const tabs = new Map();

function showTabs() {
  const { view } = place();
  for (const [id, [title, , count]] of Object.entries(VIEWS)) {
    const many = make('span', { class: 'count' });
    const tab = tabs.get(id) ?? { many, link: make('a', { href: `#${id}` }, title, many) };
    if (!tabs.has(id)) byId('tabs').append(tab.link);
    tabs.set(id, tab);
    const shown = count?.(page.state) || '';
    tell(tab.many, String(shown));
    tab.many.hidden = !shown;
    if (id === view) tab.link.setAttribute('aria-current', 'page');
    else tab.link.removeAttribute('aria-current');
  }
}

/** It is an alert, so it is only announced again when it has changed. */
function showProblems() {
  const { problems, isServed } = page.state;
  const now = JSON.stringify([problems, isServed]);
  if (now === page.problems) return;
  page.problems = now;
  const title = isServed
    ? 'The last save is not served; this is the previous version'
    : 'Nothing is served yet';
  byId('problems').replaceChildren(
    ...(problems.length === 0 ? [] : [make('h2', {}, title), problemList(problems)]),
  );
}

function show() {
  const { view, detail } = place();
  const [title, render] = VIEWS[view];
  document.title = `${title} · fwk dev`;
  showTabs();
  showProblems();
  if (view === page.view && page.shown.choose) return page.shown.choose(detail);
  page.shown?.leave?.();
  page.view = view;
  page.shown = render(byId('main'), page.state, detail) ?? {};
}

function refresh() {
  showTabs();
  showProblems();
  page.shown.update?.(page.state);
}

let reading;
async function readState() {
  // Read once more if something changes while the state is being read.
  if (reading) {
    reading.again = true;
    return;
  }
  reading = { again: false, records: [] };
  try {
    const isFirst = page.state === undefined;
    page.state = await ask('/_fwk/state');
    for (const title of page.state.views) VIEWS[encodeURIComponent(title)] ??= [title, showPluginView(title)];
    addRequests(reading.records);
    if (isFirst) show();
    else refresh();
  } catch (failure) {
    byId('live').textContent = failure.message;
  }
  const { again } = reading;
  reading = undefined;
  if (again) readState();
}

function takeRequests(records) {
  // The state being read may be older.
  reading?.records.push(...records);
  if (!page.state) return;
  addRequests(records);
  refresh();
}

function addRequests(records) {
  const known = new Map(page.state.requests.map((record) => [record.id, record]));
  for (const record of records) known.set(record.id, record);
  page.state.requests = [...known.values()].sort((a, b) => b.id - a.id).slice(0, 100);
}

let events;
let retry;
const RETRY_MS = 2_000;
/** A browser has six connections per server: a hidden page closes its own. */
function listen() {
  events?.close();
  clearTimeout(retry);
  const live = byId('live');
  if (document.hidden) return;
  if (live.textContent === '') tell(live, 'connecting');
  events = new EventSource('/_fwk/events');
  events.addEventListener('open', () => {
    tell(live, 'live');
    live.className = 'is-live';
  });
  events.addEventListener('error', () => {
    tell(live, 'the server is unavailable');
    live.className = '';
    // A proxy answered while the server restarts: browsers do not reconnect after that.
    if (events.readyState === EventSource.CLOSED) retry = setTimeout(listen, RETRY_MS);
  });
  events.addEventListener('state', readState);
  events.addEventListener('requests', ({ data }) => takeRequests(JSON.parse(data)));
}

addEventListener('hashchange', () => {
  if (!page.state) return;
  show();
  const beside = place().detail ? document.querySelector('.detail') : null;
  (beside ?? byId('main')).focus({ preventScroll: true });
  // On narrow screens, the details are below the list.
  beside?.scrollIntoView({ block: 'nearest' });
});
addEventListener('keydown', (event) => {
  if (isTyping(event)) return;
  const view = Object.keys(VIEWS)[Number(event.key) - 1];
  if (view) location.hash = view;
  // Return to the row of the selected item.
  if (event.key === 'Escape') document.querySelector('.rows [aria-current]')?.focus();
});
focusFilterBySlash();
document.addEventListener('visibilitychange', listen);
listen();
// If something delays the stream, the page still shows the state.
readState();
