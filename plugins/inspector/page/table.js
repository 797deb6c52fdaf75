import { make } from './dom.js';

/**
 * Fills `parent` with what `render` makes of items, one element each. What was there stays the same element: it keeps the focus,
 * what is unfolded in it or selected, and can be clicked while others come.
 *
 * @param {Element} parent
 * @param {(item: object) => unknown} keyOf
 * @param {(item: object) => Element} render
 * @param {(element: Element, item: object) => void} [renew] called with one that is there already
 */
export function keptList(parent, keyOf, render, renew = () => {}) {
  let known = new Map();
  return (items) => {
    const next = new Map();
    for (const item of items) {
      const key = keyOf(item);
      const before = known.get(key);
      if (before) renew(before, item);
      next.set(key, before ?? render(item));
    }
    for (const [key, element] of known) if (!next.has(key)) element.remove();
    known = next;
    let at = parent.firstElementChild;
    for (const element of next.values()) {
      if (element === at) at = at.nextElementSibling;
      else parent.insertBefore(element, at);
    }
  };
}

/**
 * The rows of a list, each a link. `rowOf`: what a row is: its address, and what is in it, made only where that has changed.
 *
 * @param {Element} list
 * @param {(item: object) => { href: string, look: string, inside: () => unknown }} rowOf
 */
export function rows(list, rowOf) {
  const looks = new WeakMap();
  let current = '';
  const draw = (element, row) => {
    const link = element.firstElementChild;
    if (row.href === current) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
    if (looks.get(element) === row.look) return;
    looks.set(element, row.look);
    link.replaceChildren(...row.inside());
  };
  const render = (row) => {
    const element = make('li', {}, make('a', { href: row.href }));
    draw(element, row);
    return element;
  };
  const fill = keptList(list, ({ href }) => href, render, draw);
  return (items, href) => {
    current = href;
    fill(items.map(rowOf));
  };
}

/**
 * A list that is searched, and what has been chosen of it beside it.
 *
 * @param {string} names what the list has, "Routes"
 * @param {string} name what is beside it, "The route"
 * @param {Node} filter the field to search with
 * @param {...Node} more what else stands above the list
 */
export function columns(names, name, filter, ...more) {
  const list = make('ol', { class: 'rows' });
  const count = make('p', { class: 'soft', role: 'status' });
  const beside = make('section', { class: 'detail', 'aria-label': name, tabindex: -1 });
  const frame = make(
    'div',
    { class: 'columns' },
    make(
      'section',
      { class: 'list', 'aria-label': names },
      make('label', { for: 'filter' }, 'Filter ', make('kbd', {}, '/')),
      make('div', { class: 'above' }, filter, more),
      count,
      list,
    ),
    beside,
  );
  return { list, count, beside, frame };
}
