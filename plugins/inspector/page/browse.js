import { make, soft } from '../../http/page-kit/dom.js';
import { ask, tell } from './ask.js';

/**
 * Fills `parent` with an element for each item. An element that is there already stays: it keeps the focus, what is unfolded in it or
 * selected, and can be clicked while others come.
 *
 * @param {Element} parent
 * @param {(item: object) => unknown} keyOf
 * @param {(item: object) => Element} render
 * @param {(element: Element, item: object) => void} [renew] called with an element that is there already
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
 * A view with a list that is searched, and beside it what has been chosen of it.
 *
 * @param {Element} main
 * @param {object} state
 * @param {string} chosen the key of an item; '' for none
 * @param {object} is
 *   names, name: what screen readers call the list and what is beside it; filter: its Filter; above: what else stands above the list
 *   items(state); keyOf(item); textOf(item), which is searched; summary(shown, items)
 *   href(key); inside(item): the content of its row
 *   path(key): where the server answers with details; details(answer): nodes; keepsGone: whether they stay when the item is gone
 *   start(beside): a function of the state, called while nothing is chosen
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

/** Shows the details of a chosen item, read again when the item has changed. */
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
    // Another item may have been chosen meanwhile.
    if (shown === wanted) beside.replaceChildren(make('div', {}, nodes));
  };
}
