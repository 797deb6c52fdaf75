import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatFor } from '../../../plugins/http/request/accept.js';
import { clientAddress } from '../../../plugins/http/request/forwarded.js';
import { parseForm, parseLists, parseQuery } from '../../../plugins/http/request/query.js';
import { requestWith } from '../../fuzz/parsers/head-targets.js';

// Laws about random requests. `npm run fuzz:parsers` checks the laws of the other parsers.

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const pairs = fc.array(fc.tuple(text, text), { maxLength: 8 });
const RUNS = { numRuns: 300 };

/** A table of all values of each key. */
function listsOf(entries: readonly (readonly [string, string])[]): Record<string, string[]> {
  const lists: Record<string, string[]> = Object.create(null);
  for (const [key, value] of entries) {
    lists[key] ??= [];
    lists[key].push(value);
  }
  return lists;
}

const asLists = (given: Readonly<Record<string, string | readonly string[]>>) =>
  Object.entries(given).map(([key, value]) => [key, [value].flat()]);

test('a query and a form are parsed as URLSearchParams writes them', () => {
  fc.assert(
    fc.property(pairs, (given) => {
      const entries = given.filter(([key]) => key !== '__proto__');
      const written = new URLSearchParams(entries).toString();
      const expected = Object.entries(listsOf([...new URLSearchParams(written)]));
      assert.equal(asLists(parseLists(written)), expected);
      assert.equal(asLists(parseForm(written)), expected);
      const firsts = expected.map(([key, [value]]) => [key, value]);
      assert.equal(Object.entries(parseQuery(requestWith(`/?${written}`, {}), 1_000)), firsts);
    }),
    RUNS,
  );
});

test('an Accept header prefers its most specific ranges', () => {
  const ranges = [
    'text/html',
    'text/*',
    '*/*',
    'application/json',
    'application/problem+json',
    'application/*',
  ];
  const wish = fc.uniqueArray(fc.tuple(fc.constantFrom(...ranges), fc.integer({ min: 0, max: 10 })), {
    selector: ([range]) => range,
    maxLength: 6,
  });
  fc.assert(
    fc.property(wish, (given) => {
      const wished = new Map(given);
      const quality = (type: string): readonly [q: number, exactness: number] => {
        const names = [type, type.replace(/\/.*/, '/*'), '*/*'];
        const at = names.findIndex((name) => wished.has(name));
        return [wished.get(names[at] ?? '') ?? 0, 3 - at];
      };
      const more = (a: readonly number[], b: readonly number[]) =>
        (a[0] ?? 0) - (b[0] ?? 0) || (a[1] ?? 0) - (b[1] ?? 0);
      const html = quality('text/html');
      const json = ['application/json', 'application/problem+json'].map(quality).sort(more).at(-1) ?? [];
      // Who names no text type is no browser.
      const expected =
        given.some(([range]) => range.startsWith('text/')) && html[0] > 0 && more(html, json) > 0
          ? 'html'
          : 'json';
      const accept = given.map(([range, q]) => `${range};q=${q / 10}`).join(', ');
      assert.is(formatFor({ accept }), expected, accept);
    }),
    RUNS,
  );
});

test('the client address is the first one before the trusted proxies', () => {
  fc.assert(
    fc.property(
      fc.array(fc.ipV4(), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 8 }),
      (hops, trusted) => {
        const raw = requestWith('/', { 'x-forwarded-for': hops.join(' , ') });
        assert.is(clientAddress(raw, trusted), hops[Math.max(hops.length - trusted, 0)]);
        assert.is(clientAddress(raw, true), hops[0]);
        assert.is(clientAddress(raw, false), '');
      },
    ),
    RUNS,
  );
});

test.run();
