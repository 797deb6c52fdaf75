import { ask, code, Filter, facts, json, make, method, tell } from './dom.js';
import { columns, rows } from './table.js';
import { fillIn } from './try.js';

const wanted = new Filter();

/** The list of routes, and one of them beside it. */
export function showRoutes(main, state, chosen) {
  const filter = wanted.input(() => fill(current));
  const { list, count, beside, frame } = columns('Routes', 'The route', filter);
  const fillRows = rows(list, row);
  let detail = chosen;
  let current = state;
  let shown;

  const fill = ({ routes }) => {
    const found = routes.filter(({ label, file, chain, checks }) =>
      wanted.matches([label, file, ...chain, ...checks].join(' ')),
    );
    tell(count, `${found.length} of ${routes.length} routes`);
    fillRows(found, hrefOf(detail));
  };
  const read = async () => {
    const route = current.routes.find(({ label }) => label === detail);
    const before = shown;
    const wanted = JSON.stringify([detail, route]);
    shown = wanted;
    // What has been read stays as it is, with all that is unfolded, while nothing of it changes.
    if (before === wanted) return;
    if (!route) {
      beside.replaceChildren(
        make('p', { class: 'soft' }, detail ? 'There is no such route now.' : 'Choose a route.'),
      );
      return;
    }
    const show = (...nodes) => {
      // Another may have been chosen meanwhile.
      if (shown === wanted) beside.replaceChildren(...nodes);
    };
    try {
      show(...view(route, await ask(`/_fwk/route?id=${encodeURIComponent(route.id)}`)));
    } catch (failure) {
      show(...view(route, {}), make('p', { class: 'bad' }, `${failure.message}.`));
    }
  };
  fill(state);
  read();
  main.replaceChildren(frame);
  return {
    update(next, what) {
      if (what === 'requests') return;
      current = next;
      fill(next);
      read();
    },
    choose(label) {
      detail = label;
      fill(current);
      read();
    },
  };
}

const hrefOf = (label) => `#routes/${encodeURIComponent(label)}`;

const row = ({ label, method: verb, path, file }) => ({
  href: hrefOf(label),
  look: file,
  inside: () => [method(verb), make('span', { class: 'path' }, path, make('small', {}, file))],
});

function view(route, details) {
  const { method: verb, path, file, chain, layers, meta } = route;
  const { title, description, tags, schemas = {}, mistake } = details;
  const isHttp = verb !== 'WS' && verb !== 'MCP';
  return [
    make('h2', {}, method(verb), ' ', path),
    title && make('p', { class: 'title' }, title),
    description && make('p', { class: 'text' }, description),
    facts([
      ['File', file],
      ['Tags', tags?.join(', ')],
      ['Middlewares', chain.length > 0 ? ordered(chain) : 'none'],
      ['Layers', layers.length > 0 ? layers.join(' › ') : undefined],
      ['Metadata', meta === undefined ? undefined : make('code', {}, JSON.stringify(meta))],
    ]),
    isHttp &&
      make(
        'p',
        { class: 'actions' },
        make(
          'a',
          { class: 'button', href: '#try', click: () => fillIn(verb, path, exampleOf(schemas.body)) },
          'Try it',
        ),
      ),
    mistake && make('p', { class: 'bad' }, mistake),
    ...schemaViews(schemas),
    Object.keys(schemas).length === 0 && make('p', { class: 'soft' }, 'It has no schemas.'),
  ].filter(Boolean);
}

const ordered = (names) =>
  make(
    'ol',
    { class: 'chain' },
    names.map((name) => make('li', {}, name)),
  );

export const schemaViews = (schemas) =>
  Object.entries(schemas).flatMap(([part, schema]) => [
    make('h3', {}, part),
    typeof schema === 'string'
      ? make('p', { class: 'soft' }, `${schema}.`)
      : code(json(schema), `Schema of ${part}`),
  ]);

/** A body to begin with: what a schema requires, empty. */
function exampleOf(schema) {
  const value = exampleValue(schema, schema, 0);
  return value === undefined ? '' : json(value);
}

function exampleValue(schema, root, depth) {
  if (typeof schema !== 'object' || schema === null || depth > 5) return undefined;
  const { $ref, type, properties = {}, required = Object.keys(properties), anyOf, oneOf, allOf } = schema;
  if (typeof $ref === 'string') return exampleValue(root.$defs?.[$ref.split('/').pop()], root, depth + 1);
  if ('default' in schema) return schema.default;
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const [first] = anyOf ?? oneOf ?? allOf ?? [];
  if (first) return exampleValue(first, root, depth + 1);
  if (type === 'object')
    return Object.fromEntries(
      required.map((name) => [name, exampleValue(properties[name], root, depth + 1) ?? null]),
    );
  return { string: '', number: 0, integer: 0, boolean: false, array: [], null: null }[type];
}
