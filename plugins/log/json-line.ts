import type { WriteLine } from './own-logger.js';
import { Plain } from './plain.js';
import type { IsSecret } from './redaction.js';
import { writeStdout } from './stdout.js';

/** The most that a line takes, in bytes: what collects the output of containers divides longer ones. */
const MAX_LINE_BYTES = 16_384;
/** Characters of values in a line; the least is for those of which each takes many bytes. */
const LIMITS = [12_000, 2_000];
/** What every line has, and no field can replace. */
const RESERVED: readonly string[] = ['level', 'time', 'pid', 'err', 'details'];

/** Writes lines of JSON to stdout. */
export function jsonLines(isSecret: IsSecret): WriteLine {
  const { pid } = process;
  return (level, { message, thrown, fields, details }, bound) => {
    const make = (limit: number): string => {
      const plain = new Plain(isSecret, limit);
      const line = Object.assign(Object.create(null), { level, time: new Date(), pid });
      for (const [key, value] of Object.entries(plain.members({ ...bound, ...fields })))
        line[RESERVED.includes(key) ? `_${key}` : key] = value;
      if (message !== '' || line.msg === undefined) line.msg = plain.text(message);
      if (thrown.length > 0) line.err = plain.thrown(thrown[0]);
      if (details.length > 0) line.details = plain.value(details);
      return `${JSON.stringify(line)}\n`;
    };
    const [most = 0, least = 0] = LIMITS;
    const line = make(most);
    writeStdout(
      line.length * 3 > MAX_LINE_BYTES && Buffer.byteLength(line) > MAX_LINE_BYTES ? make(least) : line,
    );
  };
}
