import { valuesOf } from '../caller.js';
import { headerIn } from '../views.js';

/** The most cookies that are kept, and characters of one. */
const MAX_COOKIES = 100;
const MAX_COOKIE = 4_096;

/** Cookies that the app has set, as a browser keeps them for one site. */
export class CookieJar {
  readonly #cookies = new Map<string, string>();

  clear(): void {
    this.#cookies.clear();
  }

  /** Headers with the cookies that are kept, unless they have some already. */
  addTo(headers: readonly string[]): readonly string[] {
    if (this.#cookies.size === 0 || headerIn(headers, 'cookie') !== '') return headers;
    return [...headers, 'Cookie', [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')];
  }

  /** Keep what an answer sets (RFC 6265 §5.2), whatever its path. */
  take(headers: readonly string[]): void {
    for (const cookie of valuesOf(headers, 'set-cookie')) {
      const [pair = '', ...attributes] = cookie.split(';');
      const at = pair.indexOf('=');
      if (at < 1 || pair.length > MAX_COOKIE) continue;
      const name = pair.slice(0, at).trim();
      const isOver = attributes.some((one) => /^\s*max-age=(?:0|-\d+)\s*$/i.test(one) || isPast(one));
      if (isOver) this.#cookies.delete(name);
      else if (this.#cookies.has(name) || this.#cookies.size < MAX_COOKIES)
        this.#cookies.set(name, pair.slice(at + 1).trim());
    }
  }
}

function isPast(attribute: string): boolean {
  const [, date = ''] = /^\s*expires=(.*)$/i.exec(attribute) ?? [];
  return Date.parse(date) < Date.now();
}
