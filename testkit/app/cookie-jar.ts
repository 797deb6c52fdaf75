/** The cookies of one visitor, kept as a browser does. All of a test is one origin: domains and paths do not matter. */
export class CookieJar {
  /** By name. */
  readonly cookies = new Map<string, string>();
  /** When each ends, in milliseconds since the epoch; one that is not here ends with the visitor. */
  readonly #ends = new Map<string, number>();
  readonly #date: () => number;

  /** `date`: the time, in milliseconds since the epoch. */
  constructor(date: () => number) {
    this.#date = date;
  }

  /** The header of a request; empty where there is no cookie. */
  header(): { readonly cookie?: string } {
    for (const [name, end] of this.#ends) if (end <= this.#date()) this.#forget(name);
    if (this.cookies.size === 0) return {};
    return { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
  }

  /** Keep what `Set-Cookie` headers set, and forget what they end. */
  keep(headers: readonly string[]): void {
    for (const header of headers) this.#keep(header);
  }

  #keep(header: string): void {
    const [pair = '', ...attributes] = header.split(/;\s*/);
    const equals = pair.indexOf('=');
    const name = pair.slice(0, equals);
    const end = endOf(attributes, this.#date());
    this.#forget(name);
    if (end !== undefined && end <= this.#date()) return;
    this.cookies.set(name, pair.slice(equals + 1));
    if (end !== undefined) this.#ends.set(name, end);
  }

  #forget(name: string): void {
    this.cookies.delete(name);
    this.#ends.delete(name);
  }
}

/** `Max-Age` goes before `Expires` (RFC 6265 §5.3). */
function endOf(attributes: readonly string[], now: number): number | undefined {
  const values = new Map<string, string>();
  for (const attribute of attributes) {
    const [key = '', value = ''] = attribute.split('=');
    values.set(key.toLowerCase(), value);
  }
  const maxAge = values.get('max-age');
  if (maxAge !== undefined) return now + Number(maxAge) * 1_000;
  const expires = values.get('expires');
  return expires === undefined ? undefined : Date.parse(expires);
}
