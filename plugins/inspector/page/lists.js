import { ask, clock, make, milliseconds } from './dom.js';
import { problemList } from './failure.js';
import { schemaViews } from './routes.js';

/** A view that is made again when what it shows has changed. */
const view = (pick, render) => (main, state) => {
  const inside = make('div', { class: 'wide' });
  let shown = '';
  const update = (next) => {
    const now = JSON.stringify(pick(next));
    if (now === shown) return;
    shown = now;
    const regions = () => [...inside.querySelectorAll('.scroll')];
    const before = regions().map((one) => ({
      left: one.scrollLeft,
      hasFocus: one === document.activeElement,
    }));
    inside.replaceChildren(...[render(next)].flat(2).filter((one) => one instanceof Node));
    for (const [at, region] of regions().entries()) {
      region.scrollLeft = before[at]?.left ?? 0;
      if (before[at]?.hasFocus) region.focus({ preventScroll: true });
    }
  };
  update(state);
  main.replaceChildren(inside);
  return { update };
};

const table = (name, columns, rows) =>
  make(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': name },
    make(
      'table',
      {},
      make(
        'thead',
        {},
        make(
          'tr',
          {},
          columns.map((column) => make('th', { scope: 'col' }, column)),
        ),
      ),
      make(
        'tbody',
        {},
        rows.map((cells) =>
          make(
            'tr',
            {},
            cells.map((cell) => make('td', {}, cell)),
          ),
        ),
      ),
    ),
  );

const time = (seconds) =>
  seconds < 120
    ? `${seconds} s`
    : seconds < 7200
      ? `${Math.round(seconds / 60)} min`
      : `${Math.round(seconds / 3600)} h`;

/** The sockets as they were asked for: nobody tells of each message. */
export function showSockets(main, state) {
  let isAsking = false;
  const { update } = shownSockets(main, state);
  const timer = setInterval(async () => {
    if (isAsking || document.hidden) return;
    isAsking = true;
    const connections = await ask('/_fwk/sockets').catch(() => undefined);
    isAsking = false;
    if (connections) update(connections);
  }, SOCKETS_MS);
  return { update, leave: () => clearInterval(timer) };
}

const SOCKETS_MS = 1_000;

const shownSockets = view(
  ({ sockets, rooms, counts }) => [sockets, rooms, counts],
  ({ sockets, rooms, counts }) => [
    make('h2', {}, 'Open sockets'),
    sockets.length === 0
      ? make('p', { class: 'soft' }, 'No socket is open. Files in ws/ are sockets.')
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
      ? make('p', { class: 'soft' }, 'No room has a member.')
      : table(
          'Rooms',
          ['Room', 'Members'],
          rooms.map(({ room, members }) => [make('code', {}, room), members]),
        ),
    counts.rooms > rooms.length && left(rooms.length, counts.rooms),
  ],
);

const left = (shown, all) => make('p', { class: 'soft' }, `These are the first ${shown} of ${all}.`);

export const showMcp = view(
  ({ members }) => members,
  ({ members }) => [
    make('h2', {}, 'What MCP clients are offered'),
    members.length === 0
      ? make(
          'p',
          { class: 'soft' },
          'Nothing. Files in mcp/tools, mcp/resources and mcp/prompts are offered at /mcp.',
        )
      : members.map(({ kind, name, file, title, description, scopes, schemas = {} }) =>
          make(
            'details',
            { class: 'member' },
            make(
              'summary',
              {},
              make('span', { class: 'kind' }, kind),
              make('code', {}, name),
              make('span', { class: 'soft' }, title ?? description?.split('\n', 1)[0] ?? ''),
            ),
            make('p', { class: 'soft' }, file),
            description && make('p', { class: 'text' }, description),
            scopes.length > 0 && make('p', {}, `Scopes: ${scopes.join(', ')}`),
            schemaViews(schemas),
          ),
        ),
    make('h2', {}, 'This page for assistants'),
    make(
      'p',
      {},
      'An assistant finds all that is here at ',
      make('code', {}, `${location.origin}/_fwk/mcp`),
      ', over MCP. ',
      make('code', {}, 'npx fwk skills --mcp'),
      ' tells editors of it.',
    ),
  ],
);

export const showReloads = view(
  ({ reloads }) => reloads,
  ({ reloads }) => [
    make('h2', {}, 'Last reloads'),
    reloads.length === 0
      ? make('p', { class: 'soft' }, 'Nothing has been saved since the start.')
      : make('ol', { class: 'reloads' }, reloads.map(reload)),
  ],
);

function reload({ at, isServed, files, duration, routes, problems, notes }) {
  const { added, removed, changed } = routes;
  const many = added.length + removed.length + changed.length;
  const labels = (sign, about, list, tone) =>
    list
      .slice(0, 20)
      .map((label) => make('li', { class: tone }, make('span', { 'aria-label': about }, sign), ' ', label));
  return make(
    'li',
    {},
    make(
      'p',
      {},
      make('span', { class: 'soft' }, `${clock(at)} `),
      make('strong', { class: isServed ? 'good' : 'bad' }, isServed ? 'served' : 'not served'),
      isServed ? ` in ${milliseconds(duration)}, ${many === 1 ? '1 route' : `${many} routes`} changed` : '',
    ),
    make(
      'p',
      { class: 'path' },
      files.slice(0, 8).join(', '),
      files.length > 8 && ` and ${files.length - 8} more`,
    ),
    many > 0 &&
      make(
        'ul',
        { class: 'changes' },
        labels('+', 'added', added, 'good'),
        labels('−', 'removed', removed, 'bad'),
        labels('~', 'changed', changed, 'soft'),
      ),
    notes.map((note) => make('p', {}, note)),
    problems.length > 0 && problemList(problems),
  );
}
