import type { IncomingHttpHeaders } from 'node:http';

/** How strongly a client prefers a media type: the q-value, and how specific the range is (3 exact, 2 `text/*`, 1 any). */
interface Quality {
  readonly q: number;
  readonly named: number;
}

const NOT_ASKED: Quality = { q: 0, named: 0 };

export type ErrorFormat = 'html' | 'json';

/** The format that the client prefers: HTML if it prefers that to JSON (RFC 9110 §12.5.1), otherwise JSON. */
export function formatFor({ accept = '*/*' }: IncomingHttpHeaders): ErrorFormat {
  // Only a text type can be preferred to JSON, and most clients other than browsers name none.
  if (!/text\//i.test(accept)) return 'json';
  return prefers(wish(accept, ['text/html']), wish(accept, JSON_TYPES)) ? 'html' : 'json';
}

/**
 * Like `formatFor`, but with plain text for people at a terminal: `curl` accepts anything. A program that uses `fetch` also
 * accepts anything, but sends `Sec-Fetch-Mode` (Fetch Metadata) or no `Accept` at all, and gets JSON.
 */
export function readableFormatFor(headers: IncomingHttpHeaders): ErrorFormat | 'text' {
  const format = formatFor(headers);
  const { accept } = headers;
  if (format === 'html' || accept === undefined || headers['sec-fetch-mode'] !== undefined) return format;
  return wish(accept, JSON_TYPES).named === 3 ? 'json' : 'text';
}

const JSON_TYPES = ['application/json', 'application/problem+json'];

const prefers = (a: Quality, b: Quality): boolean =>
  a.q > b.q || (a.q > 0 && a.q === b.q && a.named > b.named);

function wish(accept: string, types: readonly string[]): Quality {
  const ranges = accept.split(',').map(readWeight);
  return types
    .map((type) => wishFor(ranges, type))
    .reduce((best, next) => (prefers(next, best) ? next : best));
}

/** Parse an entry of a header such as Accept: `gzip;q=0.5`. An invalid weight counts as 0. */
export function readWeight(entry: string): [name: string, weight: number] {
  const [name = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
  const q = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=/, '');
  return [name, q === undefined ? 1 : Math.min(Number(q) || 0, 1)];
}

/** The most specific range that matches `type` decides, whatever the other ranges are. */
function wishFor(ranges: readonly (readonly [name: string, weight: number])[], type: string): Quality {
  const names = ['*/*', `${type.slice(0, type.indexOf('/'))}/*`, type];
  for (const name of names.toReversed()) {
    const found = ranges.find(([range]) => range === name);
    if (found) return { q: found[1], named: names.indexOf(name) + 1 };
  }
  return NOT_ASKED;
}
