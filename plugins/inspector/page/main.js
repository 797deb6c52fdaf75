import { showContext } from './context.js';
import { ask, byId, make } from './dom.js';
import { problemList } from './failure.js';
import { showMcp, showReloads, showSockets } from './lists.js';
import { showRequests } from './requests.js';
import { showRoutes } from './routes.js';
import { showTry } from './try.js';

/** The views, by the first part of the hash. */
const VIEWS = {
  requests: ['Requests', showRequests, ({ requests }) => requests.length],
  routes: ['Routes', showRoutes, ({ routes }) => routes.length],
  try: ['Try', showTry],
  ctx: ['ctx', showContext, ({ providers }) => providers.length],
  sockets: ['Sockets', showSockets, ({ sockets }) => sockets.length],
  mcp: ['MCP', showMcp, ({ members }) => members.length],
  reloads: ['Reloads', showReloads, ({ reloads }) => reloads.length],
};

/** What the server has told, and what is looked at. */
const page = { state: undefined, refresh: undefined };

/** `#routes/GET%20%2Fapi` is the view `routes` of `GET /api`. */
function place() {
  const [view = '', ...rest] = location.hash.slice(1).split('/');
  let detail = '';
  try {
    detail = decodeURIComponent(rest.join('/'));
  } catch {
    // Somebody else's.
  }
  return { view: Object.hasOwn(VIEWS, view) ? view : 'requests', detail };
}

function showTabs() {
  const { view } = place();
  byId('tabs').replaceChildren(
    ...Object.entries(VIEWS).map(([id, [title, , count]]) => {
      const many = count?.(page.state);
      return make(
        'a',
        { href: `#${id}`, 'aria-current': id === view ? 'page' : undefined },
        title,
        many ? make('span', { class: 'count' }, many) : undefined,
      );
    }),
  );
}

function showProblems() {
  const { problems, isServed } = page.state;
  byId('problems').replaceChildren(
    ...(problems.length === 0
      ? []
      : [
          make(
            'h2',
            {},
            isServed ? 'The last save is not served; this is the version before it' : 'Nothing is served yet',
          ),
          problemList(problems),
        ]),
  );
}

/** Show the view that the address names. */
function show() {
  const { view, detail } = place();
  const [title, render] = VIEWS[view];
  document.title = `${title} · fwk dev`;
  showTabs();
  showProblems();
  page.refresh = render(byId('main'), page.state, detail);
}

/** Others have changed what is shown: the view refreshes itself, and keeps what somebody is doing in it. */
function refresh(what) {
  showTabs();
  showProblems();
  page.refresh?.(page.state, what);
}

let reading;
async function readState() {
  // One more, if something changes while it is read.
  if (reading) {
    reading.again = true;
    return;
  }
  reading = { again: false };
  try {
    const isFirst = page.state === undefined;
    page.state = await ask('/_fwk/state');
    if (isFirst) show();
    else refresh('state');
  } catch (failure) {
    byId('live').textContent = failure.message;
  }
  const { again } = reading;
  reading = undefined;
  if (again) readState();
}

function takeRequests(records) {
  if (!page.state) return;
  const known = new Map(page.state.requests.map((record) => [record.id, record]));
  for (const record of records) known.set(record.id, record);
  page.state.requests = [...known.values()].sort((a, b) => b.id - a.id).slice(0, 100);
  refresh('requests');
}

let events;
/** A browser has six connections per server: a page that nobody looks at gives its own back. */
function listen() {
  events?.close();
  const live = byId('live');
  if (document.hidden) return;
  events = new EventSource('/_fwk/events');
  events.addEventListener('open', () => {
    live.textContent = 'live';
    live.className = 'is-live';
  });
  events.addEventListener('error', () => {
    live.textContent = 'the server is away';
    live.className = '';
  });
  events.addEventListener('state', readState);
  events.addEventListener('requests', ({ data }) => takeRequests(JSON.parse(data)));
}

addEventListener('hashchange', () => {
  if (!page.state) return;
  show();
  byId('main').focus({ preventScroll: true });
  // Where there is no room beside the list, it is below.
  if (place().detail) document.querySelector('.detail')?.scrollIntoView({ block: 'nearest' });
});
addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select'))
    return;
  const view = Object.keys(VIEWS)[Number(event.key) - 1];
  if (view) location.hash = view;
  if (event.key !== '/') return;
  const filter = document.querySelector('main input[type="search"]');
  if (!filter) return;
  event.preventDefault();
  filter.focus();
});
document.addEventListener('visibilitychange', listen);
listen();
