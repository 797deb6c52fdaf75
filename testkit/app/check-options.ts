import { isObject } from '../../kernel/index.js';
import { testError } from '../test-error.js';
import { isTestClock } from './clock.js';

const WHAT_LEAKS_DO: readonly unknown[] = ['error', 'warn', 'ignore'];

interface Expected {
  readonly what: string;
  readonly accepts: (given: unknown) => boolean;
}

/** What the options of a test app have to be that neither the config nor a logger is. */
const OPTIONS: Readonly<Record<string, Expected>> = {
  dir: { what: 'the folder of a project', accepts: (given) => typeof given === 'string' },
  overrides: { what: 'an object of values of ctx', accepts: isObject },
  leaks: { what: '"error", "warn" or "ignore"', accepts: (given) => WHAT_LEAKS_DO.includes(given) },
  machine: {
    what: 'what the function of testMachines() gives',
    accepts: (given) => isObject(given) && typeof given.listen === 'function',
  },
  clock: { what: 'what testClock() gives', accepts: isTestClock },
};

/** The names of all options of a test app that are none of the config. */
export const OWN_OPTIONS: readonly string[] = [...Object.keys(OPTIONS), 'logger'];

/** Throws a TypeError for options that `createTestApp` cannot take. */
export function checkOptions(options: unknown): void {
  if (!isObject(options))
    throw testError(
      'FWK901',
      `createTestApp() takes an object of options, not ${shown(options)}.`,
      TypeError,
    );
  for (const [name, { what, accepts }] of Object.entries(OPTIONS)) {
    const given = options[name];
    if (given !== undefined && !accepts(given))
      throw testError('FWK901', `The option "${name}" takes ${what}, not ${shown(given)}.`, TypeError);
  }
}

const shown = (value: unknown): string =>
  typeof value === 'function'
    ? 'a function'
    : typeof value === 'object' && value !== null
      ? 'such an object'
      : (JSON.stringify(value) ?? String(value));
