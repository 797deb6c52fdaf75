import path from 'node:path';
import { fileURLToPath } from 'node:url';

export interface StackFrame {
  /** The called function, as the engine names it: `async Store.find`, `new Thing`; undefined at the top level of a module. */
  readonly call: string | undefined;
  /** Normalized absolute path of a file, or else the engine's name: `node:fs`, `<anonymous>`. */
  readonly file: string;
  /** 1-based, like `column`; both are undefined for the engine's own code. */
  readonly line: number | undefined;
  readonly column: number | undefined;
}

/** Parses a frame: `find (/app/store.ts:3:9)`. Not with a single expression: names may contain anything, even 80 KB of brackets. */
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

/** A frame from the engine's call site. Its name may contain anything, so the location is not parsed from its text. */
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

interface RanScript {
  readonly texts: ReadonlyMap<string, string>;
  readonly frames: readonly StackFrame[];
}

const known = new WeakMap<object, RanScript>();

export function recordScript(error: object, ran: RanScript): void {
  known.set(error, ran);
}

const ranBehind = (thrown: unknown): RanScript | undefined =>
  thrown instanceof Error ? known.get(thrown) : undefined;

/** The text of `file` that the stack of `thrown` refers to; undefined if no source loader ran it. */
export const textBehind = (thrown: unknown, file: string): string | undefined =>
  ranBehind(thrown)?.texts.get(file);

/** The frames of `thrown` as the engine recorded them; undefined if no source loader had run anything by then. */
export const framesBehind = (thrown: unknown): readonly StackFrame[] | undefined => ranBehind(thrown)?.frames;
