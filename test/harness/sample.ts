import path from 'node:path';
import type { Callback, Test } from 'uvu';

// `npm test` tries a sample of slow cases that few edits affect; `npm run test:long`, and a run of named files, tries
// all of them.

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

/**
 * One of several ways to run the same cases, chosen by the name of the test file, so that the files of a sample cover
 * all ways; a full run uses every way.
 */
export function anyOf<Way>(ways: readonly Way[]): readonly Way[] {
  if (!isSample) return ways;
  const { length } = path.basename(process.argv[1] ?? '');
  return ways.filter((_, index) => index === length % ways.length);
}
