import { coded, isObject, type OptionShape, type OptionValues } from 'fwkit/plugin';

/** The values of an object of options. Throws a TypeError for what is wrong there; `what`, a call, says where that is. */
export function checkOptions<Shape extends OptionShape>(
  what: string,
  given: unknown,
  shape: Shape,
): OptionValues<Shape> {
  if (!isObject(given)) throw coded('FWK833', new TypeError(`${what} takes its options as an object.`));
  for (const key of Object.keys(given))
    if (!Object.hasOwn(shape, key))
      throw coded(
        'FWK833',
        new TypeError(`${what} has no option "${key}". There are ${Object.keys(shape).join(', ')}.`),
      );
  const values = Object.entries(shape).map(([key, { fallback, expected, accepts }]) => {
    const value = given[key];
    if (value === undefined) return [key, fallback];
    if (!accepts(value))
      throw coded('FWK833', new TypeError(`${what}: "${key}" must be ${expected}, not ${shown(value)}.`));
    return [key, value];
  });
  return Object.fromEntries(values) as OptionValues<Shape>;
}

const shown = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? Array.isArray(value)
      ? 'a list'
      : 'an object like this one'
    : JSON.stringify(value) || String(value);
