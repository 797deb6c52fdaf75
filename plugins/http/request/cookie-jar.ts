/** The cookies of one client, stored as a browser does, for one origin: domains and paths are ignored. */
export class CookieJar {
  readonly cookies = new Map<string, string>();
  /** When each cookie expires, in milliseconds since the epoch; cookies that are missing here never expire. */
  readonly #ends = new Map<string, number>();

  /** `date`: the current time, in milliseconds since the epoch. */
  constructor(private readonly date: () => number) {}

  header(): { readonly cookie?: string } {
    for (const [name, end] of this.#ends) if (end <= this.date()) this.#forget(name);
    if (this.cookies.size === 0) return {};
    return { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
  }

  /** Store the cookies of `Set-Cookie` headers, and delete expired cookies. */
  keep(headers: readonly string[]): void {
    for (const header of headers) {
      const [pair = '', ...attributes] = header.split(/;\s*/);
      const equals = pair.indexOf('=');
      const name = pair.slice(0, equals);
      const end = endOf(attributes, this.date());
      this.#forget(name);
      if (end !== undefined && end <= this.date()) continue;
      this.cookies.set(name, pair.slice(equals + 1));
      if (end !== undefined) this.#ends.set(name, end);
    }
  }

  #forget(name: string): void {
    this.cookies.delete(name);
    this.#ends.delete(name);
  }
}

/** `Max-Age` takes precedence over `Expires` (RFC 6265 §5.3). */
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
