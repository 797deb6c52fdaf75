import { parse, serialize } from 'cookie';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseBody } from '../../../plugins/http/body/read-body.js';
import { partsOf, readForm } from '../../../plugins/http/body/read-encoded.js';
import { formatFor } from '../../../plugins/http/request/accept.js';
import { clientAddress } from '../../../plugins/http/request/forwarded.js';
import { parseForm, parseLists, parseQuery } from '../../../plugins/http/request/query.js';
import { isNotModified } from '../../../plugins/http/response/response-head.js';
import { requestWith } from '../../fuzz/parsers/head-targets.js';

// What is true of every request, said of values: what a client writes is what is read.

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const pairs = fc.array(fc.tuple(text, text), { maxLength: 8 });
const LIMITS = {
  bodyLimit: 10_000,
  maxParts: 20,
  maxFiles: 20,
  maxFieldName: 100,
  maxFields: 20,
  maxJsonDepth: 1_000,
};
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

test('a query and a form are read as URLSearchParams writes them', () => {
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

test('cookies are read as they are set', () => {
  const name = fc.stringMatching(/^[\w.-]{1,8}$/);
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(name, text), { selector: ([key]) => key, maxLength: 5 }), (given) => {
      const header = given.map(([key, value]) => serialize(key, value)).join('; ');
      assert.equal(Object.entries(parse(header)).sort(), given.sort());
    }),
    RUNS,
  );
});

test('a JSON body is read as it was written', () => {
  const raw = requestWith('/', { 'content-type': 'application/json' });
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const written = JSON.stringify(value);
      fc.pre(!/__proto__|constructor/.test(written));
      assert.is(JSON.stringify(parseBody(Buffer.from(written), raw, LIMITS)), written);
    }),
    RUNS,
  );
});

const value = fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes));
const part = fc.record({ name: fc.stringMatching(/^[a-z]{1,4}$/), value, isFile: fc.boolean() });

test('a multipart form is read as it was written, wherever it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 4 }), fc.nat(), async (parts, seed) => {
      const body = Buffer.concat([
        ...parts.flatMap(({ name, value, isFile }) => [
          Buffer.from(
            `--bound\r\nContent-Disposition: form-data; name="${name}"${isFile ? '; filename="f"' : ''}\r\n\r\n`,
          ),
          value,
          Buffer.from('\r\n'),
        ]),
        Buffer.from('--bound--\r\n'),
      ]);
      // Every place is met over the runs; the first of each is a whole one.
      const at = seed % (body.length + 1);
      async function* pieces() {
        if (at > 0) yield body.subarray(0, at);
        if (at < body.length) yield body.subarray(at);
      }
      const form = await readForm(partsOf(pieces(), 'bound', LIMITS));
      const read = await Promise.all(
        Object.entries(form).map(async ([name, values]) => [
          name,
          await Promise.all(
            [values]
              .flat()
              .map(async (one) =>
                typeof one === 'string' ? one : Buffer.from(await one.arrayBuffer()).toString('hex'),
              ),
          ),
        ]),
      );
      const written = listsOf(
        parts.map(({ name, value, isFile }) => [name, value.toString(isFile ? 'hex' : 'utf8')]),
      );
      assert.equal(read, Object.entries(written));
    }),
    { numRuns: 200 },
  );
});

test('an Accept header prefers what its most exact ranges say', () => {
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

test('of the proxies that are trusted, the first says who the client is', () => {
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

test('a client has what one of its tags names, and nothing else', () => {
  const tag = fc.stringMatching(/^[a-z0-9]{1,3}$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(tag, fc.boolean()), { minLength: 1, maxLength: 6 }), tag, (known, own) => {
      const header = known.map(([name, isWeak]) => `${isWeak ? 'W/' : ''}"${name}"`).join(', ');
      const has = known.some(([name]) => name === own);
      assert.is(isNotModified(requestWith('/', { 'if-none-match': header }), ['ETag', `"${own}"`]), has);
    }),
    RUNS,
  );
});

test.run();
