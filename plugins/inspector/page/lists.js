import { make, soft, table } from '../../http/page-kit/dom.js';
import { ask, clock, milliseconds } from './ask.js';
import { problemList } from './failure.js';
import { toolForm } from './mcp.js';
import { schemaViews } from './routes.js';

export const view = (pick, render) => (main, state) => {
  const inside = make('div', { class: 'wide' });
  let shown = '';
  const update = (next) => {
    const now = JSON.stringify(pick(next));
    if (now === shown) return;
    shown = now;
    const regions = () => [...inside.querySelectorAll('.scroll, button')];
    const before = regions().map((one) => ({
      left: one.scrollLeft,
      hasFocus: one === document.activeElement,
    }));
    inside.replaceChildren(make('div', {}, render(next)));
    for (const [at, region] of regions().entries()) {
      region.scrollLeft = before[at]?.left ?? 0;
      if (before[at]?.hasFocus) region.focus({ preventScroll: true });
    }
  };
  update(state);
  main.replaceChildren(inside);
  return { update };
};

const time = (seconds) =>
  seconds < 120
    ? `${seconds} s`
    : seconds < 7200
      ? `${Math.round(seconds / 60)} min`
      : `${Math.round(seconds / 3600)} h`;

/** Calls `read` every second while the page is visible, one call at a time. Returns a function that ends it. */
export function poll(read) {
  let isReading = false;
  const timer = setInterval(async () => {
    if (isReading || document.hidden) return;
    isReading = true;
    await read().catch(() => {});
    isReading = false;
  }, 1_000);
  return () => clearInterval(timer);
}

/** Polls the message counts: the server does not report each message. */
export function showSockets(main, state) {
  const { update } = shownSockets(main, state);
  return { update, leave: poll(async () => update(await ask('/_fwk/sockets'))) };
}

const shownSockets = view(
  ({ sockets, rooms, counts }) => [sockets, rooms, counts],
  ({ sockets, rooms, counts }) => [
    make('h2', {}, 'Open sockets'),
    sockets.length === 0
      ? soft('No socket is open. Files in ws/ are sockets.')
      : table(
          'Open sockets',
          ['Route', 'Path', 'Received', 'Sent', 'Open for'],
          sockets.map(({ route, target, received, sent, seconds }) => [
            make('code', {}, route),
            target,
            received,
            sent,
            time(seconds),
          ]),
        ),
    counts.sockets > sockets.length && left(sockets.length, counts.sockets),
    make('h2', {}, 'Rooms'),
    rooms.length === 0
      ? soft('No room has a member.')
      : table(
          'Rooms',
          ['Room', 'Members'],
          rooms.map(({ room, members }) => [make('code', {}, room), members]),
        ),
    counts.rooms > rooms.length && left(rooms.length, counts.rooms),
  ],
);

const left = (shown, all) => soft(`These are the first ${shown} of ${all}.`);

export const showMcp = view(
  ({ members }) => members,
  ({ members }) => [
    make('h2', {}, 'MCP tools, resources and prompts'),
    members.length === 0
      ? soft('Nothing. Files in mcp/tools, mcp/resources and mcp/prompts are offered at /mcp.')
      : members.map(member),
    make('h2', {}, 'This page for coding assistants'),
    make(
      'p',
      {},
      'Coding assistants get everything on this page at ',
      make('code', {}, `${location.origin}/_fwk/mcp`),
      ', over MCP. ',
      make('code', {}, 'npx fwk skills --mcp'),
      ' adds it to your editors.',
    ),
  ],
);

const member = ({ kind, name, file, title, description, scopes, schemas = {}, page }) =>
  make(
    'details',
    { class: 'item' },
    make(
      'summary',
      {},
      make('span', { class: 'method mcp' }, kind),
      make('code', {}, name),
      make('span', { class: 'soft' }, title ?? description?.split('\n', 1)[0] ?? ''),
    ),
    soft(file),
    description && make('p', { class: 'text' }, description),
    scopes.length > 0 && make('p', {}, `Scopes: ${scopes.join(', ')}`),
    kind === 'tool' && toolForm({ name, schemas, page }),
    schemaViews(schemas),
  );

export const showReloads = view(
  ({ reloads }) => reloads,
  ({ reloads }) => [
    make('h2', {}, 'Last reloads'),
    reloads.length === 0
      ? soft('No file has been saved since startup.')
      : make('ol', {}, reloads.map(reload)),
  ],
);

function reload({ at, isServed, files, duration, routes, problems, notes }) {
  const { added, removed, changed } = routes;
  const many = added.length + removed.length + changed.length;
  const labels = (sign, about, list, tone) =>
    list
      .slice(0, 20)
      .map((label) =>
        make('li', { class: `path ${tone}` }, make('span', { 'aria-label': about }, sign), ' ', label),
      );
  return make(
    'li',
    { class: 'item' },
    make('span', { class: 'soft' }, `${clock(at)} `),
    make('strong', { class: isServed ? 'good' : 'bad' }, isServed ? 'served' : 'not served'),
    isServed ? ` in ${milliseconds(duration)}, ${many === 1 ? '1 route' : `${many} routes`} changed` : '',
    make(
      'div',
      { class: 'path' },
      files.slice(0, 8).join(', '),
      files.length > 8 && ` and ${files.length - 8} more`,
    ),
    many > 0 &&
      make(
        'ul',
        {},
        labels('+', 'added', added, 'good'),
        labels('−', 'removed', removed, 'bad'),
        labels('~', 'changed', changed, 'soft'),
      ),
    notes.map((note) => make('div', {}, note)),
    problems.length > 0 && problemList(problems),
  );
}
