import type { LogCall } from '../../kernel/index.js';
import type { WriteLine } from './own-logger.js';
import { Plain } from './plain.js';
import type { IsSecret } from './redaction.js';
import { writeStdout } from './stdout.js';

/** The most that a line takes, in bytes: what collects the output of containers divides longer ones. */
const MAX_LINE_BYTES = 16_384;
/** Characters of values in a line; the least is for those of which each takes many bytes. */
const LIMITS = [12_000, 2_000];
/** What every line has, and no field can replace. */
const RESERVED: ReadonlySet<string> = new Set(['level', 'time', 'pid', 'err', 'details']);

/** Terminals take some of these for the beginning of a command, and JSON has them as they are. */
const COMMANDS = /[\u007f-\u009f]/g;
const escaped = (found: string): string => `\\u00${found.charCodeAt(0).toString(16)}`;

/** Writes lines of JSON to stdout. */
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

/** A line. Its members are written as text one by one: an object of them all takes three times as long. */
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

/** A name for a field whose own is that of something else. */
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

/** The time, as text: the lines of one millisecond share it. */
function timeNow(): string {
  const now = Date.now();
  if (now !== shownAt) {
    shownAt = now;
    shown = new Date(now).toISOString();
  }
  return shown;
}
