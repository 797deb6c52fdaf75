/** What a session holds between requests. */
export interface Kept {
  /** When it is over, in milliseconds since the epoch. */
  readonly until: number;
  /** JSON by key of `ctx`, each parsed only when it is read. */
  readonly values: Readonly<Record<string, string>>;
}

export const keptText = (kept: Kept): string => JSON.stringify(kept);

/** Read what `keptText` made; undefined when it is over, or something else. */
export function readKept(text: string | null | undefined): Kept | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const kept: Kept = JSON.parse(text);
    return kept.until > Date.now() && typeof kept.values === 'object' ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** The JSON of a session value. `path` is where it is, for the TypeError that is thrown for what JSON has not. */
export function textOf(value: unknown, path: string): string {
  if (typeof value !== 'object' || value === null)
    throw new TypeError(
      `${path} is ${named(value)}: a session value is an object or array that can be written to`,
    );
  check(value, path, []);
  return JSON.stringify(value);
}

function check(value: unknown, path: string, above: readonly object[]): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value))
    return;
  if (typeof value !== 'object') throw notStorable(value, path);
  if (above.includes(value)) throw new TypeError(`${path} holds itself: a session cannot store that`);
  const inside = [...above, value];
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) check(value[index], `${path}[${index}]`, inside);
    return;
  }
  const prototype = Object.getPrototypeOf(value);
  if (!isPlain(prototype)) throw notStorable(value, path);
  for (const [key, member] of Object.entries(value))
    if (member !== undefined) check(member, `${path}.${key}`, inside);
}

/** Objects of another realm are plain too: their prototype has none above it. */
const isPlain = (prototype: object | null): boolean =>
  prototype === null || Object.getPrototypeOf(prototype) === null;

const notStorable = (value: unknown, path: string): TypeError =>
  new TypeError(
    `${path} is ${named(value)}, which a session cannot store: keep plain objects, arrays, strings, finite numbers, booleans and null`,
  );

function named(value: unknown): string {
  if (value === undefined || value === null || typeof value === 'number') return String(value);
  if (typeof value !== 'object') return `a ${typeof value}`;
  if (value instanceof Promise) return 'a promise';
  return `a ${value.constructor?.name || 'class instance'}`;
}
