import { readFileSync, statSync } from 'node:fs';

/** The position of a mistake in a text: line and column are 1-based. */
export interface Position {
  readonly line: number;
  readonly column: number | undefined;
  readonly excerpt: string | undefined;
}

export type ModuleErrorCode = 'ERR_MODULE_SYNTAX' | 'ERR_MODULE_NOT_FOUND' | 'ERR_MODULE_EXPORT';

/** A mistake in the text of a module: it does not parse, or an import cannot be resolved. */
export class ModuleError extends Error {
  override readonly name = 'ModuleError';
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** The lines around the mistake, with a caret below it. */
  readonly excerpt: string | undefined;

  constructor(
    readonly code: ModuleErrorCode,
    message: string,
    readonly file: string,
    place?: Position,
  ) {
    super(message);
    this.line = place?.line;
    this.column = place?.column;
    this.excerpt = place?.excerpt;
  }
}

export function notFound(
  specifier: string,
  { file, text }: { readonly file: string; readonly text: string },
  message: string,
): ModuleError {
  return new ModuleError('ERR_MODULE_NOT_FOUND', message, file, positionOfImport(text, specifier));
}

export function describeModuleError({ code, message }: ModuleError): string {
  const what = code === 'ERR_MODULE_SYNTAX' ? 'does not parse' : 'cannot be linked';
  const fix = message.startsWith('Cannot find package')
    ? 'Add it to "dependencies": production installs nothing else'
    : 'Fix it there';
  return `${what}: ${message.replace(/\.$/, '')}. ${fix}.`;
}

export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset).split('\n');
  const line = before.length;
  const column = (before.at(-1) ?? '').length + 1;
  const gutter = String(line).length;
  const shown = text.split('\n').slice(Math.max(0, line - 2), line);
  const windows = shown.map((row, i) => rowWindow(row, i === shown.length - 1 ? column : 1));
  const rows = windows.map(
    ({ text: row }, i) => `${String(line - shown.length + 1 + i).padStart(gutter)} | ${row}`,
  );
  const last = windows.at(-1) ?? { text: '', column };
  const caret = `${' '.repeat(gutter)} | ${last.text.slice(0, last.column - 1).replace(/[^\t]/g, ' ')}^`;
  return { line, column, excerpt: [...rows, caret].join('\n') };
}

export function positionOfImport(text: string, specifier: string, name?: string): Position | undefined {
  const found = [
    ...text.matchAll(new RegExp(`\\b(?:from|import)\\s*\\(?\\s*(?=(['"])${quoted(specifier)}\\1)`, 'g')),
  ];
  const word = name !== undefined && new RegExp(`(?<![\\w$])${quoted(name)}(?![\\w$])`);
  const names = ({ index }: RegExpExecArray): boolean => {
    const before = text.slice(0, index);
    const begin = Math.max(before.lastIndexOf('import'), before.lastIndexOf('export'));
    return word !== false && word.test(before.slice(Math.max(begin, 0)));
  };
  const match = found.find(names) ?? found[0];
  return match && positionAt(text, match.index + match[0].length);
}

const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

const CODE = /\.[cm]?[jt]sx?$/;

/** The text of a module that an error names. Other files must not be shown on a page, and a pipe or a device would block the process. */
export function readCode(file: string): string | undefined {
  try {
    return CODE.test(file) && statSync(file).isFile() ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** The number of characters of a row that are shown, and how many of them come before the error. */
const MAX_COLUMNS = 200;
const BEFORE = 80;

/** The part of a row around `column`: a bundled or generated row may be a megabyte long. */
export function rowWindow(row: string, column: number): { readonly text: string; readonly column: number } {
  if (row.length <= MAX_COLUMNS) return { text: row, column };
  const from = column <= MAX_COLUMNS - BEFORE ? 0 : column - BEFORE;
  const shown = row.slice(from, from + MAX_COLUMNS);
  const text = `${from > 0 ? '…' : ''}${shown}${from + MAX_COLUMNS < row.length ? '…' : ''}`;
  return { text, column: from > 0 ? column - from + 1 : column };
}
