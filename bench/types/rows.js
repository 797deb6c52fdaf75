/** The table of the figures of one compiler. */

export const HEADINGS = [
  ...['routes', 'subject'],
  ...['instantiations', '×', 'calls', 'types'],
  ...['MB', '×', 'CPU s', '×', 'errors'],
  ...['open ms', 'edit ms', 'edit+ ms', 'server MB'],
];

const thousands = (count) => `${Math.round(count / 1_000)}k`;

export const rowsOf = (results) =>
  results.map((result) => {
    const same = results.filter(({ routes }) => routes === result.routes);
    const alone = same.find(({ subject }) => subject === 'plain');
    const base = alone ?? same.find(({ subject }) => subject === 'fwk') ?? same[0];
    const ratio = (key) => (result[key] / base[key]).toFixed(2);
    const { routes, subject, instantiations, types, megabytes, seconds, errors, editor } = result;
    return [
      ...[String(routes), subject],
      ...[thousands(instantiations), ratio('instantiations')],
      alone && result !== alone ? thousands(instantiations - alone.instantiations) : '',
      ...[thousands(types), String(megabytes), ratio('megabytes')],
      ...[seconds.toFixed(1), ratio('seconds'), String(errors.length)],
      ...editorCells(editor),
    ];
  });

function editorCells(editor) {
  if (typeof editor !== 'object') return [editor ?? '', editor ?? '', '', ''];
  return [editor.opened, editor.edited, editor.whole, editor.megabytes].map(String);
}
