import { byId, Filter, focusFilterBySlash, make, text, method as verb } from '../../http/page-kit/dom.js';
import { showOperation } from './operation.js';
import { setRoot } from './schema.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace'];

const main = byId('operation');
const filter = new Filter();

/** Every operation, with the text to search. */
function operationsOf({ paths = {} }) {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => {
      const operation = item[method];
      const { operationId, summary = '', description = '', tags = ['default'] } = operation;
      return {
        path,
        method,
        operation,
        id: operationId ?? `${method} ${path}`,
        tag: tags[0] ?? 'default',
        found: [method, path, operationId, summary, description, ...tags].join(' '),
      };
    }),
  );
}

/** The operations that contain every search word, grouped by tag. */
function list(operations) {
  const shown = operations.filter(({ found }) => filter.matches(found));
  const tags = [...new Set(shown.map(({ tag }) => tag))].sort();
  const current = idInUrl();
  byId('count').textContent = `${shown.length} of ${operations.length} operations`;
  byId('list').replaceChildren(
    ...tags.flatMap((tag) => [
      make('h2', {}, tag),
      make(
        'ul',
        { class: 'rows' },
        shown
          .filter((one) => one.tag === tag)
          .map(({ id, method, path, operation }) =>
            make(
              'li',
              {},
              make(
                'a',
                { href: `#${encodeURIComponent(id)}`, 'aria-current': id === current ? 'page' : undefined },
                verb(method),
                make(
                  'span',
                  { class: 'path' },
                  make('span', { class: operation.deprecated && 'gone' }, path),
                  titleOf(method, operation),
                ),
              ),
            ),
          ),
      ),
    ]),
  );
}

/** The title that the author wrote; a route without a title has its method and path as the summary. */
function titleOf(method, { summary = '' }) {
  const isWritten = summary !== '' && !summary.startsWith(`${method.toUpperCase()} /`);
  return isWritten ? make('small', {}, summary) : undefined;
}

function idInUrl() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return '';
  }
}

function show(operations, document) {
  const current = operations.find(({ id }) => id === idInUrl());
  for (const link of byId('list').querySelectorAll('a')) {
    if (current && link.hash === `#${encodeURIComponent(current.id)}`)
      link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const schemes = document.components?.securitySchemes ?? {};
  const { description } = document.info;
  const start = [make('h2', {}, document.info.title), text(description), text('Choose an operation.')];
  main.replaceChildren(...(current ? showOperation(current, schemes) : start).filter(Boolean));
  main.scrollTop = 0;
  if (current) main.focus({ preventScroll: true });
}

async function begin() {
  const response = await fetch(byId('document').href);
  if (!response.ok) throw new Error(`The document responded with ${response.status}`);
  const described = await response.json();
  setRoot(described);
  document.title = described.info.title;
  byId('title').textContent = described.info.title;
  byId('version').textContent = described.info.version;
  const operations = operationsOf(described);
  list(operations);
  show(operations, described);
  byId('search').append(filter.input(() => list(operations)));
  addEventListener('hashchange', () => show(operations, described));
  focusFilterBySlash();
}

begin().catch((failure) => main.replaceChildren(make('p', { class: 'bad' }, `${failure.message}.`)));
