import { inspect } from 'node:util';
import { type LogCall, redactSecretValues } from '../../scope/index.js';
import { AccessFields } from './access-line.js';
import type { WriteLine } from './own-logger.js';
import { Plain } from './plain.js';
import type { IsSecret } from './redaction.js';

/** Maximum length of a line, in bytes: log collectors of containers split longer lines. */
const MAX_LINE_BYTES = 16_384;
/** Maximum characters of the values in a line; the lower limit is for characters of many bytes. */
const LIMITS = [12_000, 2_000];
/** Keys that every line has, and that no field can replace. */
const RESERVED: ReadonlySet<string> = new Set(['level', 'time', 'pid', 'err', 'details']);

/** Some terminals interpret these characters as the beginning of a command, and JSON does not escape them. */
const COMMANDS = /[\u007f-\u009f]/g;
const escaped = (found: string): string => `\\u00${found.charCodeAt(0).toString(16)}`;

export function jsonLines(isSecret: IsSecret): WriteLine {
  const { pid } = process;
  return (level, call, bound) => {
    const begun = `{"level":"${level}","time":"${timeNow()}","pid":${pid}`;
    const [most = 0, least = 0] = LIMITS;
    const line = lineOf(begun, new Plain(isSecret, most), call, bound);
    writeStdout(
      line.length * 3 > MAX_LINE_BYTES && Buffer.byteLength(line) > MAX_LINE_BYTES
        ? lineOf(begun, new Plain(isSecret, least), call, bound)
        : line,
    );
  };
}

/** Build a line, each member as text: building an object of them takes three times as long. */
function lineOf(
  begun: string,
  plain: Plain,
  { message, thrown, fields: own, details }: LogCall,
  bound: Readonly<Record<string, unknown>>,
): string {
  let line = begun;
  const add = (key: string, value: unknown): void => {
    const text: string | undefined = JSON.stringify(value);
    if (text !== undefined) line += `,${JSON.stringify(key)}:${text}`;
  };
  const fields = isEmpty(bound) ? own : { ...bound, ...own };
  let hasMessage = false;
  plain.each(fields, (key, value) => {
    if (key === 'msg') {
      if (message !== '') return;
      hasMessage = true;
    }
    add(RESERVED.has(key) ? unreserved(key, fields) : key, value);
  });
  if (!hasMessage) add('msg', plain.text(message));
  if (thrown.length > 0) add('err', plain.thrown(thrown[0]));
  if (details.length > 0) add('details', plain.value(details));
  return `${line.replace(COMMANDS, escaped)}}\n`;
}

/** An alternative name for a field whose own name is reserved. */
function unreserved(key: string, fields: object): string {
  const name = `_${key}`;
  return Object.hasOwn(fields, name) ? unreserved(name, fields) : name;
}

function isEmpty(fields: object): boolean {
  for (const _ in fields) return false;
  return true;
}

let shownAt = 0;
let shown = '';

/** The time as text, cached for each millisecond. */
function timeNow(): string {
  const now = Date.now();
  if (now !== shownAt) {
    shownAt = now;
    shown = new Date(now).toISOString();
  }
  return shown;
}

/** Maximum number of characters of the values in a line. */
const LIMIT = 32_000;

interface TextLine {
  readonly message: string;
  /** The thrown value as the only element of a list; empty if nothing was thrown. */
  readonly thrown: readonly unknown[];
  /** Fields and details, without secrets; undefined if there are none. */
  readonly rest: string | undefined;
}

/** The text of a line for people. `fields`: the fields of the call, and the logger's if they are shown. */
export function textLine(call: LogCall, fields: object, isSecret: IsSecret): TextLine {
  const { message, thrown, details } = call;
  if (call.fields instanceof AccessFields) {
    const { duration } = call.fields;
    return {
      message: escapeControls(duration === undefined ? message : `${message} ${duration} ms`),
      thrown,
      rest: undefined,
    };
  }
  const plain = new Plain(isSecret, LIMIT);
  const { code, ...members } = plain.members(fields);
  // The error code precedes the sentence, like in the output of a failed startup.
  const isMistake = typeof code === 'string' && /^FWK\d{3}$/.test(code);
  if (code !== undefined && !isMistake) Object.assign(members, { code });
  const shown = details.map((detail) => show(plain.value(detail)));
  if (Object.keys(members).length > 0) shown.push(show({ ...members }));
  return {
    message: isMistake ? `${code} ${message}` : message,
    thrown,
    rest: shown.length > 0 ? shown.join(' ') : undefined,
  };
}

const show = (value: unknown): string =>
  typeof value === 'string' ? value : inspect(withPrototype(value), { depth: null, breakLength: 120 });

/** Plain objects have no prototype, because clients choose their keys. People need not see that. */
function withPrototype(plain: unknown): unknown {
  if (typeof plain !== 'object' || plain === null) return plain;
  for (const member of Object.values(plain)) withPrototype(member);
  return Object.getPrototypeOf(plain) === null ? Object.setPrototypeOf(plain, Object.prototype) : plain;
}

/** Characters that could be read as the end of a line or as a command to a terminal, or that reorder the text (UAX #9). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are meant.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Indent all lines of a text after the first, so that only a logger can begin a line. */
export const escapeControls = (text: string): string =>
  text
    .replace(CONTROL, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll('\n', '\n    ');

/** Writes lines for people to the console: errors and warnings to stderr, the rest to stdout. */
export const textLines =
  (isSecret: IsSecret): WriteLine =>
  (level, call, bound) => {
    const { message, thrown, rest } = textLine(call, { ...bound, ...call.fields }, isSecret);
    const error = thrown.length > 0 ? `: ${describe(thrown[0], isSecret)}` : '';
    const parts = [message + error, rest].filter((part) => part !== undefined);
    const text = escapeControls(redactSecretValues(parts.join(' ')));
    const isBad = level === 'warn' || level === 'error' || level === 'fatal';
    // An argument, not the format: a `%d` in a request's path must not swallow the values that follow.
    ignoreFailures(isBad ? process.stderr : process.stdout);
    if (isBad) console.error('%s', text);
    else console.info('%s', text);
  };

/** The text of a thrown value: its stack, its other members and its causes. */
function describe(thrown: unknown, isSecret: IsSecret): string {
  const plain = new Plain(isSecret, LIMIT).thrown(thrown);
  return show(stackFirst(plain));
}

function stackFirst(plain: unknown): unknown {
  if (typeof plain !== 'object' || plain === null || !('stack' in plain)) return plain;
  const { stack, type: _1, message: _2, cause, ...rest } = plain as Record<string, unknown>;
  const more = Object.keys(rest).length > 0 ? ` ${show({ ...rest })}` : '';
  const because = cause === undefined ? '' : `\n[cause]: ${show(stackFirst(cause))}`;
  return `${String(stack)}${more}${because}`;
}

const ignore = (): void => {};

/** Streams whose errors are ignored: a full disk or a closed pipe must not stop the server. */
const guarded = new WeakSet<NodeJS.WriteStream>();

/** Write a line to stdout at once. Never throws. A line that cannot be written is lost. */
function writeStdout(line: string): void {
  // Read each time, because it may be replaced when stdout is reserved for a protocol.
  const { stdout } = process;
  try {
    ignoreFailures(stdout);
    stdout.write(line);
  } catch {
    // The failure cannot be reported anywhere.
  }
}

/** Ignore errors of a stream. A console only ignores them while it writes, and a pipe fails later. */
function ignoreFailures(stream: NodeJS.WriteStream): void {
  if (guarded.has(stream)) return;
  guarded.add(stream);
  stream.on('error', ignore);
}
