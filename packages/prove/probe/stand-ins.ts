/** What anybody reads of any value, to know what it is. */
const HARMLESS: ReadonlySet<string | symbol> = new Set(['then', 'toJSON', 'constructor']);

/** Values for services that nobody is expected to ask for. Whether somebody does is noted. */
export class StandIns {
  /** Keys of which something was read. */
  readonly used = new Set<string>();
  readonly values: Readonly<Record<string, unknown>>;

  constructor(keys: readonly string[]) {
    this.values = Object.fromEntries(keys.map((key) => [key, this.#make(key)]));
  }

  #make(key: string): unknown {
    const note = (): undefined => void this.used.add(key);
    // A function, since services may be functions.
    return new Proxy(() => {}, {
      get: (target, name) =>
        typeof name === 'symbol' || HARMLESS.has(name) ? Reflect.get(target, name) : note(),
      has: () => note() ?? false,
      set: () => note() ?? false,
      apply: note,
      construct: () => note() ?? {},
    });
  }
}
