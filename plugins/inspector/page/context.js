import { draw, make, soft, table } from '../../http/page-kit/dom.js';
import { view } from './lists.js';

const ABOUT = {
  singleton: 'one for the process',
  session: 'one for each visitor',
  request: 'one for each request',
};

const dot = (lifetime) => make('span', { class: `dot ${lifetime}`, 'aria-hidden': true });

export const showContext = view(
  ({ providers }) => providers,
  ({ providers }) => [
    make('h2', {}, 'Values of ctx'),
    providers.length === 0
      ? soft('There is ctx.logger. Files in services/ and di/ add more.')
      : [
          make(
            'ul',
            { class: 'legend' },
            Object.entries(ABOUT)
              .filter(([lifetime]) => providers.some((one) => one.lifetime === lifetime))
              .map(([lifetime, about]) => make('li', {}, dot(lifetime), `${lifetime}: ${about}`)),
          ),
          graph(providers),
          providerTable(providers),
        ],
  ],
);

const WIDTH = 190;
const HEIGHT = 46;
const GAP_X = 70;
const GAP_Y = 18;

/** A value is placed to the right of the values that it reads. */
function graph(providers) {
  const byKey = new Map(providers.map((one) => [one.key, one]));
  const depths = new Map();
  const depthOf = (key, above = new Set()) => {
    if (depths.has(key)) return depths.get(key);
    // Request values may read each other in a cycle until one of them is created.
    if (above.has(key)) return 0;
    const inner = new Set([...above, key]);
    const depth =
      Math.max(
        -1,
        ...byKey
          .get(key)
          .reads.filter((one) => byKey.has(one))
          .map((one) => depthOf(one, inner)),
      ) + 1;
    depths.set(key, depth);
    return depth;
  };
  const columns = [];
  for (const { key } of providers) {
    const depth = depthOf(key);
    columns[depth] ??= [];
    columns[depth].push(key);
  }
  const places = new Map();
  for (const [column, keys] of columns.entries())
    for (const [row, key] of keys.entries())
      places.set(key, { x: column * (WIDTH + GAP_X) + 1, y: row * (HEIGHT + GAP_Y) + 1 });
  const width = columns.length * (WIDTH + GAP_X) - GAP_X + 2;
  const height = Math.max(...columns.map((keys) => keys.length)) * (HEIGHT + GAP_Y) - GAP_Y + 2;
  const lines = providers.flatMap(({ key, reads, known }) =>
    reads
      .filter((one) => places.has(one))
      .map((one) => {
        const from = places.get(one);
        const to = places.get(key);
        const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2];
        const middle = (x1 + x2) / 2;
        return draw('path', {
          class: `edge ${known}`,
          d: `M ${x1} ${y1} C ${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`,
          'marker-end': 'url(#arrow)',
        });
      }),
  );
  const boxes = providers.map(({ key, lifetime, file }) => {
    const { x, y } = places.get(key);
    return draw(
      'g',
      { class: lifetime },
      draw('title', {}, file),
      draw('rect', { x, y, width: WIDTH, height: HEIGHT, rx: 7 }),
      draw('text', { x: x + 12, y: y + 20, class: 'key' }, key.length > 20 ? `${key.slice(0, 19)}…` : key),
      draw('text', { x: x + 12, y: y + 36, class: 'file' }, file.length > 26 ? `…${file.slice(-25)}` : file),
    );
  });
  const arrow = draw(
    'marker',
    { id: 'arrow', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' },
    draw('path', { d: 'M 0 0 L 8 4 L 0 8 z' }),
  );
  return make(
    'div',
    {
      class: 'scroll graph',
      tabindex: 0,
      role: 'region',
      'aria-label': 'Graph of ctx; the table below has the same information',
    },
    draw(
      'svg',
      {
        width,
        height,
        viewBox: `0 0 ${width} ${height}`,
        role: 'img',
        'aria-label': 'Which value of ctx reads which',
      },
      draw('defs', {}, arrow),
      lines,
      boxes,
    ),
  );
}

function providerTable(providers) {
  const readers = (key) => providers.filter(({ reads }) => reads.includes(key)).map((one) => one.key);
  return table(
    'Values of ctx',
    ['Value', 'Lifetime', 'File', 'Reads', 'Services and values that read it'],
    providers.map(({ key, lifetime, file, reads, known }) => [
      make('code', {}, `ctx.${key}`),
      [dot(lifetime), lifetime],
      file,
      [
        reads.join(', ') || '–',
        known === 'source' && reads.length > 0 && make('small', {}, ' by its source'),
      ],
      readers(key).join(', ') || 'none of them',
    ]),
  );
}
