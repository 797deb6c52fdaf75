import { createHash } from 'node:crypto';
import type { Emitted } from '../runner/transform.js';
import { frameOfCall, recordScript, type StackFrame } from './frame.js';

interface Position {
  readonly line: number;
  readonly column: number;
}

interface Script {
  readonly code: string;
  readonly text: string;
  readonly emit: () => Emitted;
  hash?: string;
  emitted?: Emitted;
}

/** Lines of a script before the emitted code: the head of its function. */
export const HEAD_LINES = 1;

/** How many texts of one file are kept, for stacks of code that has been replaced. */
const MAX_TEXTS_PER_FILE = 4;
const scripts = new Map<string, Script[]>();

/** From now on, stack frames of `code` in `file` are mapped to positions in `text`. */
export function register(file: string, code: string, text: string, emit: () => Emitted): void {
  if (scripts.size === 0) install();
  // The same code from another text: positions refer to the newest text.
  const others = (scripts.get(file) ?? []).filter((script) => script.code !== code);
  scripts.set(file, [{ code, text, emit }, ...others].slice(0, MAX_TEXTS_PER_FILE));
}

/** Maps a position in emitted code to the text of the module; undefined for code that has no counterpart in the text. */
export function originalPosition(
  { code, maps }: Emitted,
  line: number,
  column: number,
): Position | undefined {
  const row = (text: string, number: number) => text.split('\n')[number] ?? '';
  // The engine locates a call of `(0, imported)` after the parenthesis, but a call of a plain name at its start.
  const isCall = /\(0, __vite_ssr_import_\d+__\.[\w$]+\)$/.test(row(code, line - 1).slice(0, column - 1));
  let at: Position = { line, column };
  let generated = code;
  for (const map of maps) {
    const entry = map.findEntry(at.line - 1, at.column - 1);
    if (!('originalLine' in entry) || entry.generatedLine !== at.line - 1) return undefined;
    const { originalLine, originalColumn, generatedColumn } = entry;
    const original = map.payload.sourcesContent[0] ?? '';
    // Source maps locate the start of some tokens; later columns are counted if both texts are equal there.
    const passed = plainNames(row(generated, at.line - 1).slice(generatedColumn, at.column - 1));
    const both = !isCall && row(original, originalLine).startsWith(passed, originalColumn);
    at = { line: originalLine + 1, column: originalColumn + 1 + (both ? passed.length : 0) };
    generated = original;
  }
  return at;
}

function install(): void {
  const format = Error.prepareStackTrace ?? ((error, frames) => [String(error), ...frames].join('\n    at '));
  Error.prepareStackTrace = (error, frames) => {
    const original = frames.flatMap(originalFrame);
    recordScript(error, {
      texts: new Map(frames.flatMap(textOf).reverse()),
      frames: original.map(plainFrame),
    });
    if (!frames.some(scriptOf)) return format(error, frames);
    const stack: unknown = format(error, original);
    return typeof stack === 'string' ? plainNames(stack) : stack;
  };
}

function plainFrame(site: NodeJS.CallSite): StackFrame {
  const frame = frameOfCall(site);
  return { ...frame, call: frame.call && plainNames(frame.call) };
}

function scriptOf(frame: NodeJS.CallSite): Script | undefined {
  const [newest, ...older] = scripts.get(frame.getFileName() ?? '') ?? [];
  if (!newest || older.length === 0) return newest;
  const hash = frame.getScriptHash();
  const hashOf = (script: Script) => (script.hash ??= createHash('sha256').update(script.code).digest('hex'));
  return [newest, ...older].find((script) => hashOf(script) === hash);
}

function textOf(frame: NodeJS.CallSite): [string, string][] {
  const script = scriptOf(frame);
  return script ? [[frame.getFileName() ?? '', script.text]] : [];
}

/** The frame with its position in the text; undefined for generated code, such as getters of exports. */
function originalFrame(frame: NodeJS.CallSite): NodeJS.CallSite[] {
  const script = scriptOf(frame);
  if (!script) return [frame];
  script.emitted ??= script.emit();
  const line = (frame.getLineNumber() ?? 0) - HEAD_LINES;
  const at = originalPosition(script.emitted, line, frame.getColumnNumber() ?? 0);
  if (!at) return [];
  const text = frame.toString().replace(/:\d+:\d+(\)?)$/, `:${at.line}:${at.column}$1`);
  const changed = { toString: () => text, getLineNumber: () => at.line, getColumnNumber: () => at.column };
  const get = (target: NodeJS.CallSite, key: string) => {
    const value: unknown = Reflect.get(changed, key) ?? Reflect.get(target, key);
    return typeof value === 'function' ? value.bind(target) : value;
  };
  return [new Proxy(frame, { get })];
}

/** Restores the names of imports and default exports that the transformation has changed. */
export function plainNames(text: string): string {
  return text
    .replace(/\(0 ?, __vite_ssr_import_\d+__\.([\w$]+)\)/g, '$1')
    .replace(/__vite_ssr_import_\d+__\./g, '')
    .replace(/__vite_ssr_export_default__/g, 'default');
}
