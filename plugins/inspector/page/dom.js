/**
 * An element. What comes from outside becomes text nodes and attributes only, never HTML: a path may be `<script>`.
 *
 * @param {string} name
 * @param {Record<string, unknown>} attributes a function is a listener; what is undefined or false is left out
 * @param {...(Node | string | number | undefined | false | null)} children
 */
export function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same, of a drawing. */
export function draw(name, attributes = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}

function fill(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false || value === null) continue;
    if (typeof value === 'function') made.addEventListener(key, value);
    else made.setAttribute(key, value === true ? '' : String(value));
  }
  made.append(
    ...children
      .flat(Number.POSITIVE_INFINITY)
      .filter((child) => child !== undefined && child !== false && child !== null)
      .map((child) => (child instanceof Node ? child : String(child))),
  );
  return made;
}

/** @param {string} id */
export const byId = (id) => document.getElementById(id);

/** Set a text that screen readers say when it changes, if it does. */
export function tell(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A table of names and values. */
export const facts = (rows) =>
  make(
    'dl',
    { class: 'facts' },
    rows
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))),
  );

/** A text as it stands. */
export const code = (text, name) => make('pre', { tabindex: 0, 'aria-label': name, role: 'group' }, text);

export const json = (value) => JSON.stringify(value, null, 2);

/** What a server answers to a page of its own. Rejects with a sentence. */
export async function ask(path, body) {
  const response = await fetch(
    path,
    body === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  );
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.message ?? `the server answers ${response.status}`);
  return answer;
}

export const milliseconds = (time) =>
  time === undefined ? '…' : time < 10 ? `${time.toFixed(1)} ms` : `${Math.round(time)} ms`;

/** `14:03:12` */
export const clock = (at) => new Date(at).toLocaleTimeString('en-GB');

export const method = (name) => make('span', { class: `method ${name.toLowerCase()}` }, name);

/** What a list is searched for: it stays while its view is drawn anew. */
export class Filter {
  #words = [];
  #text = '';

  /** The field to write into; `changed` is called after each key. */
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

  /** Whether a text has all words. */
  matches(text) {
    const lower = text.toLowerCase();
    return this.#words.every((word) => lower.includes(word));
  }
}
