import { type Option, option } from '../../kernel/index.js';

const isPath = (value: unknown): value is string =>
  typeof value === 'string' && /^(?:\/[\w.~-]+)+$/.test(value);

const path = (fallback: string): Option<string | false> =>
  option.custom<string | false>(
    fallback,
    `a path of letters, digits, "-", "_" and ".", such as "${fallback}", or false`,
    (value): value is string | false => value === false || isPath(value),
  );

export const healthOptions = {
  /** Where it is answered whether this process is alive; false: nowhere. */
  live: path('/healthz'),
  /** Where it is answered whether requests may be sent to this process; false: nowhere. */
  ready: path('/readyz'),
};
