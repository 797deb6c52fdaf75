/** The number of characters of a row that are shown, and how many of them come before the error. */
const MAX_COLUMNS = 200;
const BEFORE = 80;

/** The visible part of a source row, and the 1-based column in it that corresponds to `column`. */
export interface RowWindow {
  readonly text: string;
  readonly column: number;
}

/** The part of a row around `column`: a bundled or generated row may be a megabyte long. */
export function rowWindow(row: string, column: number): RowWindow {
  if (row.length <= MAX_COLUMNS) return { text: row, column };
  const from = column <= MAX_COLUMNS - BEFORE ? 0 : column - BEFORE;
  const shown = row.slice(from, from + MAX_COLUMNS);
  const text = `${from > 0 ? '…' : ''}${shown}${from + MAX_COLUMNS < row.length ? '…' : ''}`;
  return { text, column: from > 0 ? column - from + 1 : column };
}
