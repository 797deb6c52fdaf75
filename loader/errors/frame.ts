import path from 'node:path';
import { fileURLToPath } from 'node:url';

export interface StackFrame {
  /** The function that was called, as the engine names it: `async Store.find`, `new Thing`; undefined at the top of a module. */
  readonly call: string | undefined;
  /** Absolute path of a file, normalised; else what the engine says instead: `node:fs`, `<anonymous>`. */
  readonly file: string;
  /** 1-based, as `column`; both undefined for what the engine does itself. */
  readonly line: number | undefined;
  readonly column: number | undefined;
}

/** A frame of its text: `find (/app/store.ts:3:9)`. Not by one expression: names may hold anything, 80 KB of brackets too. */
export function frameOf(text: string): StackFrame {
  const open = text.endsWith(')') ? text.indexOf(' (') : -1;
  const call = open === -1 ? undefined : text.slice(0, open);
  const place = open === -1 ? text.replace(/^async /, '') : text.slice(open + 2, -1);
  const [, file = place, line, column] = /^(.+):(\d+):(\d+)$/.exec(place) ?? [];
  return {
    call,
    file: pathOf(file),
    line: line ? Number(line) : undefined,
    column: column ? Number(column) : undefined,
  };
}

/** A frame as the engine knows it. What it is called may hold anything, so the place is not looked for in its text. */
export function frameOfCall(site: NodeJS.CallSite): StackFrame {
  const [file, line, column] = [site.getFileName(), site.getLineNumber(), site.getColumnNumber()];
  const text = site.toString();
  if (!file || line === null || column === null)
    return { call: undefined, file: text.replace(/^async /, ''), line: undefined, column: undefined };
  const place = ` (${file}:${line}:${column})`;
  const call = text.endsWith(place) ? text.slice(0, -place.length) : undefined;
  return { call, file: pathOf(file), line, column };
}

function pathOf(named: string): string {
  try {
    const file = named.startsWith('file:') ? fileURLToPath(named) : named;
    return path.isAbsolute(file) ? path.normalize(file) : file;
  } catch {
    return named;
  }
}
