/** The JSON of what a job carries. `path` is where it is, for the TypeError that is thrown for what JSON has not. */
export function jsonText(value: unknown, path: string): string {
  if (value === undefined) return 'null';
  check(value, path, []);
  return JSON.stringify(value);
}

/** `above`: the objects that `value` is in. */
function check(value: unknown, path: string, above: object[]): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value))
    return;
  if (typeof value !== 'object') throw notJson(value, path);
  if (above.includes(value)) throw new TypeError(`${path} holds itself, which JSON has not.`);
  above.push(value);
  if (Array.isArray(value))
    for (let index = 0; index < value.length; index += 1) check(value[index], `${path}[${index}]`, above);
  else if (!isPlain(Object.getPrototypeOf(value))) throw notJson(value, path);
  // What is undefined is left out.
  else
    for (const [key, member] of Object.entries(value))
      if (member !== undefined) check(member, `${path}.${key}`, above);
  above.pop();
}

/** Objects of another realm are plain too: their prototype has none above it. */
const isPlain = (prototype: object | null): boolean =>
  prototype === null || Object.getPrototypeOf(prototype) === null;

const notJson = (value: unknown, path: string): TypeError =>
  new TypeError(
    `${path} is ${named(value)}, which JSON has not: give plain objects, arrays, strings, finite numbers, booleans and null.`,
  );

function named(value: unknown): string {
  if (value === undefined || typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  return value instanceof Promise ? 'a promise' : `a ${value.constructor?.name || 'class instance'}`;
}
