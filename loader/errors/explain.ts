import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect, stripVTControlCharacters } from 'node:util';
import { codeOf, hasPage, type ProblemCode } from '../../kernel/index.js';
import type { StackFrame } from './frame.js';
import { textBehind } from './frame.js';
import { ModuleError, readCode, rowWindow } from './module-error.js';
import { isProjectCode, positionOf, stackOf } from './stack-of.js';

export interface Frame {
  /** `async Store.find (src/services/store.ts:3:9)`: relative to the project's root, or to the folder that contains the package. */
  readonly text: string;
  readonly origin: 'project' | 'package' | 'node';
}

export interface Excerpt {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The position of `column` in the shown text of its row; of a long row only a part is shown. */
  readonly caret: number;
  readonly rows: readonly { readonly number: number; readonly text: string }[];
}

export interface Trace {
  /** `TypeError: x is not a function`; for a value that is not an error, that it was thrown. */
  readonly headline: string;
  readonly message: string;
  /** The error code, if it is one of fwkit's or of a plugin. */
  readonly code: ProblemCode | undefined;
  readonly frames: readonly Frame[];
  readonly excerpt: Excerpt | undefined;
}

export interface Paint {
  bad(text: string): string;
  strong(text: string): string;
  dim(text: string): string;
}

const EXCERPT_ROWS_AROUND = 4;

const MAX_CAUSES = 8;

export interface Explanation {
  readonly traces: readonly [Trace, ...Trace[]];
  describe(paint?: Paint): string;
}

/** Explain any thrown value. Never throws, even for throwing getters, Proxies and cycles. */
export function explain(thrown: unknown, root: string): Explanation {
  const chain = new Set<unknown>([thrown]);
  for (const link of chain) for (const cause of causesOf(link)) if (chain.size < MAX_CAUSES) chain.add(cause);
  const [first, ...causes] = [...chain].map((link) => traceOf(link, root));
  const traces = [first ?? traceOf(thrown, root), ...causes] as const;
  return { traces, describe: (paint) => describeTraces(traces, paint) };
}

function traceOf(thrown: unknown, root: string): Trace {
  try {
    const position = positionOf(thrown, root);
    const { frames, isCertain } = stackOf(thrown);
    const isRefusal = thrown instanceof ModuleError;
    const text =
      position &&
      (textBehind(thrown, position.file) ?? (isRefusal || isCertain ? readCode(position.file) : undefined));
    const name = thrown instanceof Error ? String(thrown.name) : 'Thrown';
    const message = stripVTControlCharacters(
      thrown instanceof Error ? String(thrown.message) : shown(thrown),
    );
    return {
      headline: stripVTControlCharacters(message === '' ? name : `${name}: ${message}`),
      message,
      code: codeOf(thrown),
      // The loader's own frames don't help if it rejected a text, nor does the code that measures time in development.
      frames: isRefusal
        ? []
        : frames.filter(({ call }) => call !== 'timedLayer').map((frame) => forPeople(frame, root)),
      excerpt: position && text !== undefined ? excerptOf(position, text, root) : undefined,
    };
  } catch {
    const message = 'a value that cannot be shown';
    return { headline: `Thrown: ${message}`, message, code: undefined, frames: [], excerpt: undefined };
  }
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : inspect(value, { depth: 2 }));

function causesOf(thrown: unknown): unknown[] {
  try {
    if (!(thrown instanceof Error)) return [];
    const errors = thrown instanceof AggregateError ? thrown.errors : [];
    return thrown.cause === undefined ? [...errors] : [thrown.cause, ...errors];
  } catch {
    return [];
  }
}

function forPeople(frame: StackFrame, root: string): Frame {
  const { file, line, column, call } = frame;
  const text = (shown: string): string => {
    const place = line === undefined ? shown : `${shown}:${line}:${column}`;
    return stripVTControlCharacters(call === undefined ? place : `${call} (${place})`);
  };
  if (isProjectCode(file, root)) return { text: text(relative(file, root)), origin: 'project' };
  if (!path.isAbsolute(file)) return { text: text(file), origin: 'node' };
  const packages = `${path.sep}node_modules${path.sep}`;
  const start = file.lastIndexOf(packages);
  return { text: text(start === -1 ? file : file.slice(start + packages.length)), origin: 'package' };
}

function excerptOf(
  { file, line, column }: { file: string; line: number; column: number },
  text: string,
  root: string,
): Excerpt | undefined {
  const first = Math.max(1, line - EXCERPT_ROWS_AROUND);
  const rows = text
    .trimEnd()
    .split(/\r?\n/)
    .slice(first - 1, line + EXCERPT_ROWS_AROUND)
    .map((row, index) => {
      const number = first + index;
      return { number, ...rowWindow(stripVTControlCharacters(row), number === line ? column : 1) };
    });
  const marked = rows.find(({ number }) => number === line);
  if (marked === undefined) return undefined;
  const shown = rows.map(({ number, text: row }) => ({ number, text: row }));
  return { file: relative(file, root), line, column, caret: marked.column, rows: shown };
}

const relative = (file: string, root: string): string => path.relative(root, file).split(path.sep).join('/');

/** The folder of the framework's code, whose frames don't help to explain an error. In the bundle, all of it is next to this file. */
const BUNDLE_FOLDER = path.dirname(fileURLToPath(import.meta.url)) + path.sep;
const MAX_FRAMES_OUTSIDE = 5;

/** The innermost frames outside of the framework and Node, one per line. If there are none, the framework's, unless `isStrict`. */
export function framesOutside(thrown: unknown, root: string, isStrict: boolean): string | undefined {
  const frames = stackOf(thrown).frames.filter(({ file }) => path.isAbsolute(file));
  const outside = frames.filter(({ file }) => !file.startsWith(BUNDLE_FOLDER));
  const shown = (outside.length > 0 || isStrict ? outside : frames).slice(0, MAX_FRAMES_OUTSIDE);
  return shown.map((frame) => `at ${forPeople(frame, root).text}`).join('\n') || undefined;
}

const same = (text: string): string => text;
const PLAIN: Paint = { bad: same, strong: same, dim: same };

const describeTraces = (traces: readonly Trace[], paint: Paint = PLAIN): string =>
  traces.map((trace, index) => `${index > 0 ? 'Caused by ' : ''}${describe(trace, paint)}`).join('\n\n');

function describe({ headline, code, excerpt, frames }: Trace, paint: Paint): string {
  const more = hasPage(code) ? `npx fwk docs ${code}` : code;
  const head = [paint.bad(headline), more && paint.dim(more)].filter(Boolean).join('\n');
  const stack = frames.map((frame) => describeFrame(frame, paint)).join('\n');
  const source =
    excerpt && `${excerpt.file}:${excerpt.line}:${excerpt.column}\n${drawExcerpt(excerpt, paint)}`;
  return [head, source, stack].filter(Boolean).join('\n\n');
}

function describeFrame(frame: Frame, paint: Paint): string {
  const line = `    at ${frame.text}`;
  return frame.origin === 'project' ? paint.strong(line) : paint.dim(line);
}

function drawExcerpt({ line, caret: column, rows }: Excerpt, { bad, dim }: Paint): string {
  const gutter = String(rows.at(-1)?.number ?? line).length;
  return rows
    .map(({ number, text }) => {
      const at = `${String(number).padStart(gutter)} | `;
      if (number !== line) return dim(`  ${at}${text}`.trimEnd());
      // Keep tabs, so that the caret is below its character.
      const caret = text.slice(0, column - 1).replace(/[^\t]/g, ' ');
      const below = column > text.length + 1 ? '' : `\n  ${' '.repeat(gutter)} | ${caret}${bad('^')}`;
      return `${bad('>')} ${at}${text}${below}`;
    })
    .join('\n');
}
