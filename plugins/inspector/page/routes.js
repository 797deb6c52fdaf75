import { code, Filter, facts, make, method, soft } from '../../http/page-kit/dom.js';
import { exampleOf } from '../../http/page-kit/schema.js';
import { browse } from './browse.js';
import { fillIn } from './try.js';

const filter = new Filter();

/** The list of routes, and the selected route beside it. */
export const showRoutes = (main, state, chosen) =>
  browse(main, state, chosen, {
    names: 'Routes',
    name: 'The route',
    filter,
    items: ({ routes }) => routes,
    keyOf: ({ label }) => label,
    textOf: ({ label, file, chain, checks }) => [label, file, ...chain, ...checks].join(' '),
    summary: (shown, items) => `${shown.length} of ${items.length} routes`,
    href: (label) => `#routes/${encodeURIComponent(label)}`,
    inside: ({ method: verb, path, file }) => [
      method(verb),
      make('span', { class: 'path' }, path, make('small', {}, file)),
    ],
    path: (label) => `/_fwk/route?id=${encodeURIComponent(label)}`,
    details: routeView,
    start: (beside) => () => beside.replaceChildren(soft('Choose a route.')),
  });

function routeView(route) {
  const { method: verb, path, file, chain, layers, meta, title, description, tags, schemas, mistake } = route;
  const isHttp = verb !== 'WS' && verb !== 'MCP';
  const tryIt = () => fillIn(verb, path, schemas.body && json(exampleOf(schemas.body, schemas.body)));
  return [
    make('h2', {}, method(verb), ' ', path),
    title && make('p', {}, make('strong', {}, title)),
    description && make('p', { class: 'text' }, description),
    facts([
      ['File', file],
      ['Tags', tags?.join(', ')],
      [
        'Middlewares',
        chain.length > 0
          ? make(
              'ol',
              {},
              chain.map((name) => make('li', {}, name)),
            )
          : 'none',
      ],
      ['Layers', layers.join(' › ')],
      ['Metadata', meta && make('code', {}, JSON.stringify(meta))],
    ]),
    isHttp &&
      make('p', { class: 'actions' }, make('a', { class: 'button', href: '#try', click: tryIt }, 'Try it')),
    mistake && make('p', { class: 'bad' }, mistake),
    schemaViews(schemas),
    Object.keys(schemas).length === 0 && soft('It has no schemas.'),
  ];
}

const json = (value) => JSON.stringify(value, null, 2);

export const schemaViews = (schemas) =>
  Object.entries(schemas).map(([part, schema]) => [
    make('h3', {}, part),
    typeof schema === 'string' ? soft(`${schema}.`) : code(json(schema), `Schema of ${part}`),
  ]);
