import { make, soft } from '../../http/page-kit/dom.js';
import { ask, tell } from './ask.js';

/**
 * Returns a function that fills `parent` with one element per item. Existing elements stay, so they
 * keep their focus, selection and expanded parts, and stay clickable while other items are added.
 *
 * @param {Element} parent
 * @param {(item: object) => unknown} keyOf
 * @param {(item: object) => Element} render
 * @param {(element: Element, item: object) => void} [renew] called with an existing element
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
 * A view with a searchable list, and the details of the selected item beside it.
 *
 * @param {Element} main
 * @param {object} state
 * @param {string} chosen the key of the selected item; '' for none
 * @param {object} is
 *   names, name: the names of the list and of the details for screen readers; filter: its Filter;
 *   above: other content above the list
 *   items(state); keyOf(item); textOf(item): the text to search; summary(shown, items)
 *   href(key); inside(item): the content of its row
 *   path(key): the URL of the details; details(answer): nodes; keepsGone: whether the details stay
 *   after the item is removed
 *   start(beside): returns a function of the state, called while nothing is selected
 */
export function browse(main, state, chosen, is) {
  let current = state;
  let key = chosen;
  const fill = () => {
    const items = is.items(current);
    const shown = items.filter((item) => is.filter.matches(is.textOf(item)));
    tell(count, is.summary(shown, items));
    fillRows(shown);
  };
  const list = make('ol', { class: 'rows' });
  const count = make('p', { class: 'soft', role: 'status' });
  const beside = make('section', { class: 'detail', 'aria-label': is.name, tabindex: -1 });
  const label = make('label', { for: 'filter' }, 'Filter ', make('kbd', {}, '/'));
  const above = make('div', { class: 'above' }, is.filter.input(fill), is.above);
  const looks = new WeakMap();
  const renew = (element, item) => {
    const link = element.firstElementChild;
    if (is.keyOf(item) === key) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
    const look = JSON.stringify(item);
    if (looks.get(element) !== look) link.replaceChildren(...is.inside(item));
    looks.set(element, look);
  };
  const fillRows = keptList(
    list,
    is.keyOf,
    (item) => {
      const element = make('li', {}, make('a', { href: is.href(is.keyOf(item)) }));
      renew(element, item);
      return element;
    },
    renew,
  );
  const detail = detailsOf(beside, is);
  const show = () => {
    fill();
    detail(current, key);
  };
  show();
  const section = make('section', { class: 'list', 'aria-label': is.names }, label, above, count, list);
  main.replaceChildren(make('div', { class: 'columns' }, section, beside));
  return {
    refill: fill,
    update(next) {
      current = { ...next };
      show();
    },
    choose(given) {
      key = given;
      show();
    },
  };
}

/** Shows the details of the selected item, and reads them again when the item has changed. */
function detailsOf(beside, { items, keyOf, path, details, keepsGone, start }) {
  let shown;
  let begin;
  return async (state, key) => {
    if (key === '') {
      if (shown || !begin) begin = start(beside);
      shown = undefined;
      return begin(state);
    }
    const item = items(state).find((one) => keyOf(one) === key);
    const wanted = { key, look: JSON.stringify(item) };
    if (shown?.key === key && (shown.look === wanted.look || (!item && keepsGone))) return;
    shown = wanted;
    const nodes = await ask(path(key)).then(details, (failure) => soft(`${failure.message}.`));
    // Another item may have been selected in the meantime.
    if (shown === wanted) beside.replaceChildren(make('div', {}, nodes));
  };
}
