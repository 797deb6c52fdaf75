import * as assert from 'uvu/assert';
import type { Output } from '../harness/output.js';

// Jobs of @fwkit/cron that print each run, and a parser of their output.

/** A run of a job made by `telling`. */
export interface Tick {
  readonly version: string;
  /** When it was due, in milliseconds since 1970. */
  readonly at: number;
  readonly token: number;
  readonly pid: number;
}

/** A module of `cron/` whose runs print `[name version at token pid]` and then execute `then`. */
export const telling = (name: string, pattern: string, then = '', version = '1'): string =>
  `import { job } from '@fwkit/cron';
export default job('${pattern}', async (ctx, { at, token, signal }) => {
  console.log(['[${name} ${version}', at.getTime(), token, process.pid + ']'].join(' '));
  ${then}
});
`;

export const EACH_SECOND = '* * * * * *';

/** A pattern for once a minute, first in some seconds. */
export const inSeconds = (seconds: number): string =>
  `${new Date(Date.now() + seconds * 1_000).getSeconds()} * * * * *`;

/** The runs printed in a text. */
export const ticksIn = (text: string, name = 'tick'): Tick[] =>
  [...text.matchAll(new RegExp(`\\[${name} (\\S+) (\\d+) (\\d+) (\\d+)\\]`, 'g'))].map(
    ([, version = '', at, token, pid]) => ({
      version,
      at: Number(at),
      token: Number(token),
      pid: Number(pid),
    }),
  );

/** Resolves with the next runs, when there are so many. */
export async function nextTicks(output: Output, count: number, name = 'tick'): Promise<Tick[]> {
  const from = output.mark();
  for (let end = from, seen = 0; seen < count; seen += 1) {
    const { index, 0: text } = await output.waitFor(new RegExp(`\\[${name} [^\\]]*\\]`), end);
    end += index + text.length;
  }
  return ticksIn(output.all.slice(from), name);
}

/** Each second between the first of them and the last has one run. */
export function assertEachSecondOnce(ticks: readonly Tick[]): void {
  const times = ticks.map(({ at }) => at);
  const [first = 0] = times;
  assert.equal(
    times,
    times.map((_, index) => first + 1_000 * index),
  );
}
