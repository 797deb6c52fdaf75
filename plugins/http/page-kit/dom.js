/**
 * Create an element. External data becomes text nodes and attributes only, never HTML: a path may be `<script>`.
 *
 * @param {string} name
 * @param {Record<string, unknown>} attributes a function becomes a listener; undefined, null and false are skipped
 * @param {...unknown} children nodes and texts, also in nested arrays; undefined, null and false are skipped
 */
export function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes).filter(([, given]) => isGiven(given))) {
    if (typeof value === 'function') made.addEventListener(key, value);
    else made.setAttribute(key, value === true ? '' : String(value));
  }
  made.append(...children.flat(Number.POSITIVE_INFINITY).filter(isGiven));
  return made;
}

const isGiven = (value) => value !== undefined && value !== null && value !== false;

/** @param {string} id */
export const byId = (id) => document.getElementById(id);

/** A paragraph with the text as it was typed. Markdown isn't rendered. */
export const text = (value) => value && make('p', { class: 'text' }, String(value));

export const soft = (...children) => make('p', { class: 'soft' }, ...children);

export const method = (name) => make('span', { class: `method ${name.toLowerCase()}` }, name.toUpperCase());

/** Preformatted text with the accessible name `name`. */
export const code = (text, name) => make('pre', { tabindex: 0, 'aria-label': name, role: 'group' }, text);

export const facts = (rows) =>
  make(
    'dl',
    { class: 'facts' },
    rows
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))),
  );

/** A table in a scrollable region. The first cell of each row is its header. */
export const table = (name, columns, rows, attributes = {}) =>
  make(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': name },
    make(
      'table',
      attributes,
      make('thead', {}, make('tr', {}, cells('th', { scope: 'col' }, columns))),
      make(
        'tbody',
        {},
        rows.map(([first, ...others]) =>
          make('tr', {}, make('th', { scope: 'row' }, first), cells('td', {}, others)),
        ),
      ),
    ),
  );

const cells = (name, attributes, values) => values.map((value) => make(name, attributes, value));

export class Filter {
  #words = [];
  #text = '';

  input(changed) {
    const field = make('input', {
      id: 'filter',
      type: 'search',
      autocomplete: 'off',
      spellcheck: 'false',
      input: () => {
        this.#text = field.value;
        this.#words = field.value.toLowerCase().split(/\s+/);
        changed();
      },
    });
    field.value = this.#text;
    return field;
  }

  matches(text) {
    const lower = text.toLowerCase();
    return this.#words.every((word) => lower.includes(word));
  }
}

export const focusFilterBySlash = () =>
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || isTyping(event) || !byId('filter')) return;
    event.preventDefault();
    byId('filter').focus();
  });

export const isTyping = (event) =>
  event.ctrlKey || event.metaKey || event.altKey || Boolean(event.target.closest('input, textarea, select'));
