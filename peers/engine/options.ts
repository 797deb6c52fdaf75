import { type Option, type OptionInput, type OptionValues, option } from '../../kernel/index.js';

/** The longest time that a timer takes, in milliseconds. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

const milliseconds = (fallback: number, min: number): Option<number> =>
  option.custom<number>(
    fallback,
    `a whole number of milliseconds, from ${min} to ${MAX_TIMEOUT_MS}`,
    (value): value is number =>
      Number.isInteger(value) && Number(value) >= min && Number(value) <= MAX_TIMEOUT_MS,
  );

/** The options that every engine has: times in milliseconds, sizes in bytes. */
export const engineOptions = {
  /** How long an answer may take. Then the broker is away, and whoever asks is told so at once. */
  timeout: milliseconds(1_000, 10),
  /** How long a lock stays with a process that does not renew it. */
  lease: milliseconds(10_000, 500),
  /** How long a connection may give no sign before another takes its place. */
  giveUp: milliseconds(10_000, 100),
  /** How long connecting may take at boot. */
  bootLimit: milliseconds(5_000, 100),
  /** How often a process tells the others the number of its last message. */
  heartbeat: milliseconds(5_000, 100),
  /** How much may wait for the broker. What comes then does not leave, and is counted. */
  backlog: option.whole(16 * 1024 * 1024, { min: 1, unit: 'bytes' }),
  /** What is longer does not leave, and is counted. */
  maxMessage: option.whole(8 * 1024 * 1024, { min: 1, unit: 'bytes' }),
};

/** The values of the options of an engine. */
export type EngineSettings = OptionValues<typeof engineOptions>;

/** What `fwk.config` takes under the name of an engine. */
export type EngineOptions = OptionInput<typeof engineOptions>;
