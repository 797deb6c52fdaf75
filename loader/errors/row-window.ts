/** Characters of a row that are shown, and of those how many stand before the place that matters. */
const MAX_COLUMNS = 200;
const BEFORE = 80;

/** What is shown of a row of a source, and the column there, 1-based, of what was at `column`. */
export interface RowWindow {
  readonly text: string;
  readonly column: number;
}

/** The part of a row around `column`: one that a bundler or a generator wrote may have a megabyte. */
export function rowWindow(row: string, column: number): RowWindow {
  if (row.length <= MAX_COLUMNS) return { text: row, column };
  const from = column <= MAX_COLUMNS - BEFORE ? 0 : column - BEFORE;
  const shown = row.slice(from, from + MAX_COLUMNS);
  const text = `${from > 0 ? '…' : ''}${shown}${from + MAX_COLUMNS < row.length ? '…' : ''}`;
  return { text, column: from > 0 ? column - from + 1 : column };
}
