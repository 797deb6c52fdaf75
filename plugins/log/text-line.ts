import { inspect } from 'node:util';
import type { LogCall } from '../../kernel/index.js';
import { AccessFields } from './access-fields.js';
import type { WriteLine } from './own-logger.js';
import { Plain } from './plain.js';
import type { IsSecret } from './redaction.js';
import { ignoreFailures } from './stdout.js';

/** Characters of values in a line. */
const LIMIT = 32_000;

/** The parts of a line for people. */
export interface TextLine {
  readonly message: string;
  /** What was thrown, if anything was; alone in a list. */
  readonly thrown: readonly unknown[];
  /** Fields and details, without secrets; undefined where there are none. */
  readonly rest: string | undefined;
}

/** What a line says to people; `fields`: of the call, and of the logger where that is to be shown. */
export function textLine(call: LogCall, fields: object, isSecret: IsSecret): TextLine {
  const { message, thrown, details } = call;
  if (call.fields instanceof AccessFields) {
    const { duration } = call.fields;
    return {
      message: harmless(duration === undefined ? message : `${message} ${duration} ms`),
      thrown,
      rest: undefined,
    };
  }
  const plain = new Plain(isSecret, LIMIT);
  const { code, ...members } = plain.members(fields);
  // That of a mistake stands before the sentence, as it does where a project does not start.
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

/** What was made plain has no prototype, since clients choose its names, and a person need not read that. */
function withPrototype(plain: unknown): unknown {
  if (typeof plain !== 'object' || plain === null) return plain;
  for (const member of Object.values(plain)) withPrototype(member);
  return Object.getPrototypeOf(plain) === null ? Object.setPrototypeOf(plain, Object.prototype) : plain;
}

/** Whatever could be taken for the end of a line, or for a command to a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are meant.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g;

/** A text in which nothing begins a line that is not written by a logger: what follows the first line is indented. */
export const harmless = (text: string): string =>
  text
    .replace(CONTROL, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll('\n', '\n    ');

/** Writes lines for people to the console: errors and warnings to stderr, the rest to stdout. */
export const textLines =
  (isSecret: IsSecret): WriteLine =>
  (level, call, bound) => {
    const { message, thrown, rest } = textLine(call, { ...bound, ...call.fields }, isSecret);
    const error = thrown.length > 0 ? `: ${describe(thrown[0], isSecret)}` : '';
    const text = harmless([message + error, rest].filter((part) => part !== undefined).join(' '));
    const isBad = level === 'warn' || level === 'error' || level === 'fatal';
    // The text is no format: a `%d` in the path of a request must not swallow what comes after it.
    ignoreFailures(isBad ? process.stderr : process.stdout);
    if (isBad) console.error('%s', text);
    else console.info('%s', text);
  };

/** What was thrown: its stack, what else it says, and its causes. */
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
