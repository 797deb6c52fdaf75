import { make } from './dom.js';

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
