import path from 'node:path';
import type { Callback, Test } from 'uvu';

// `npm test` tries a sample of the cases that take long and are about what few edits touch; `npm run test:long` tries all of them, and so
// does a run of files that are named.

/** Whether a sample is all that is tried. */
export const isSample = process.env.FWK_SAMPLE !== undefined;

/** The cases to try: in a sample every `step`th, beginning with the first, or that alone. */
export const sampled = <Case>(cases: Iterable<Case>, step = Number.POSITIVE_INFINITY): readonly Case[] =>
  [...cases].filter((_, index) => !isSample || index % step === 0);

/** Adds a test that is in no sample: there it is skipped, and counted so. */
export const unsampled =
  <Context>(test: Test<Context>) =>
  (name: string, act: Callback<Context>): void =>
    isSample ? test.skip(name, act) : test(name, act);

/** A number of times: `few` in a sample, else `many`. */
export const inSample = (few: number, many: number): number => (isSample ? few : many);

/** Of ways to run the same cases, in a sample one: by the name of the test file, so that half of what there is tries each of two. */
export function anyOf<Way>(ways: readonly Way[]): readonly Way[] {
  if (!isSample) return ways;
  const { length } = path.basename(process.argv[1] ?? '');
  return ways.filter((_, index) => index === length % ways.length);
}
