/**
 * An element. Texts of the document become text nodes and attributes only, never HTML: a description may say `<script>`.
 *
 * @param {string} name
 * @param {Record<string, unknown>} attributes a function is a listener; what is undefined or false is left out
 * @param {...(Node | string | undefined)} children
 */
export function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') made.addEventListener(key, value);
    else made.setAttribute(key, value === true ? '' : String(value));
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** @param {string} id */
export const byId = (id) => document.getElementById(id);

/** Text of a document as it stands. Markdown stays what was typed. */
export const text = (said) => (said ? make('p', { class: 'text' }, String(said)) : undefined);
