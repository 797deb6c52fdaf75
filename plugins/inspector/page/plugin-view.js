import { make, soft, table } from '../../http/page-kit/dom.js';
import { ask } from './ask.js';
import { poll, view } from './lists.js';

/** Renders a view that a plugin has added. */
export const showPluginView = (title) => (main, _state, path) => {
  const call = async (action) => {
    try {
      if (action !== undefined) await ask('/_fwk/act', { title, action });
      update({ tables: await ask(`/_fwk/tables?${new URLSearchParams({ title, path })}`) });
    } catch ({ message }) {
      update({ tables: [], message });
    }
  };
  const cell = (value) =>
    value.action !== undefined
      ? make('button', { type: 'button', click: () => call(value.action) }, value.text)
      : value.path !== undefined
        ? make('a', { href: `#${encodeURIComponent(title)}/${encodeURIComponent(value.path)}` }, value.text)
        : value;
  const { update } = view(
    (state) => state,
    ({ tables, message }) => [
      message && make('p', { class: 'bad', role: 'alert' }, message),
      tables.map(({ title, columns, rows }) => [
        make('h2', {}, title),
        rows.length === 0
          ? soft('There are none.')
          : table(
              title,
              columns,
              rows.map((row) => row.map(cell)),
            ),
      ]),
    ],
  )(main, { tables: [] });
  call();
  return { leave: poll(call) };
};
