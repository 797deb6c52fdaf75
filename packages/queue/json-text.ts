import { coded, notJson } from 'fwkit/plugin';

/** The JSON of what a job carries. `path` is where it is, for the TypeError that is thrown for what JSON has not. */
export function jsonText(value: unknown, path: string): string {
  if (value === undefined) return 'null';
  const wrong = notJson(value, path);
  if (wrong !== undefined)
    throw coded(
      'FWK410',
      new TypeError(
        `${wrong}, which JSON has not: give plain objects, arrays, strings, finite numbers, booleans and null.`,
      ),
    );
  return JSON.stringify(value);
}
