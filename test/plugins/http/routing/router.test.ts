import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Router } from '../../../../plugins/http/routing/router.js';

type Pattern = readonly string[];

/** The rules without a tree: rank every pattern that matches, segment by segment. */
function naive(patterns: readonly Pattern[], url: readonly string[]): string | undefined {
  const rank = (segment: string | undefined) =>
    segment === undefined ? 0 : segment.startsWith(':') ? 1 : segment.startsWith('*') ? 2 : 0;
  const matches = (pattern: Pattern): boolean => {
    if (pattern.at(-1)?.startsWith('*')) {
      const head = pattern.slice(0, -1);
      return (
        url.length >= pattern.length &&
        head.every((segment, i) => segment.startsWith(':') || segment === url[i])
      );
    }
    return (
      pattern.length === url.length &&
      pattern.every((segment, i) => segment.startsWith(':') || segment === url[i])
    );
  };
  const byRank = (a: Pattern, b: Pattern): number => {
    for (let i = 0; i < Math.max(a.length, b.length); i++) {
      const difference = rank(a[i]) - rank(b[i]);
      if (difference !== 0) return difference;
    }
    return 0;
  };
  return patterns.filter(matches).sort(byRank)[0]?.join('/');
}

const segment = fc.constantFrom('a', 'b', 'users', ':id', ':name');
const pattern = fc
  .tuple(fc.array(segment, { maxLength: 4 }), fc.option(fc.constant('*rest'), { nil: undefined }))
  .map(([segments, rest]) => (rest === undefined ? segments : [...segments, rest]));
const urlSegment = fc.constantFrom('a', 'b', 'users', 'c', '42');

/** Two patterns with one shape are refused at boot, so the router never holds them. */
const distinct = (patterns: readonly Pattern[]): Pattern[] => [
  ...new Map(patterns.map((p) => [p.map((s) => s.replace(/^:.*/, ':')).join('/'), p])).values(),
];

function build(patterns: readonly Pattern[]): Router<string> {
  const router = new Router<string>();
  for (const p of patterns) router.add({ method: 'GET', path: `/${p.join('/')}` }, p.join('/'));
  return router;
}

test('finds the route by precedence, whatever the order of registration', () => {
  fc.assert(
    fc.property(
      fc.array(pattern, { maxLength: 12 }),
      fc.array(urlSegment, { maxLength: 5 }),
      (given, url) => {
        const patterns = distinct(given);
        const expected = naive(patterns, url);
        for (const order of [patterns, patterns.toReversed()]) {
          const found = build(order).find('GET', `/${url.join('/')}`);
          assert.is(found !== 'malformed' && 'value' in found ? found.value : undefined, expected);
        }
      },
    ),
    { numRuns: 2000 },
  );
});

test('parameters hold the matched segments', () => {
  fc.assert(
    fc.property(
      pattern,
      fc.array(fc.string({ minLength: 1, unit: 'grapheme' }), { minLength: 6, maxLength: 6 }),
      (p, values) => {
        fc.pre(!values.some((value) => value === '.' || value === '..'));
        const named = p.map((s, i) => (s.startsWith(':') ? `:p${i}` : s));
        const filled = named.map((s, i) => (s.startsWith(':') || s.startsWith('*') ? (values[i] ?? '') : s));
        const found = build([named]).find('GET', `/${filled.map(encodeURIComponent).join('/')}`);
        assert.ok(found !== 'malformed' && 'params' in found);
        const expected = named.flatMap((s, i) =>
          s.startsWith(':') || s.startsWith('*') ? [[s.slice(1), values[i]]] : [],
        );
        assert.equal(Object.entries(found.params), expected);
        assert.is(Object.getPrototypeOf(found.params), null);
      },
    ),
  );
});

test('the exact method takes precedence over ALL, and a literal path of another method does not hide a parameter', () => {
  const router = new Router<string>();
  router.add({ method: 'ALL', path: '/me' }, 'all me');
  router.add({ method: 'GET', path: '/me' }, 'get me');
  router.add({ method: 'GET', path: '/books/new' }, 'get new');
  router.add({ method: 'POST', path: '/books/:id' }, 'post id');
  const value = (method: string, path: string) => {
    const found = router.find(method, path);
    return found !== 'malformed' && 'value' in found ? found.value : found;
  };
  assert.is(value('GET', '/me'), 'get me');
  assert.is(value('HEAD', '/me'), 'get me');
  assert.is(value('DELETE', '/me'), 'all me');
  assert.is(value('PROPFIND', '/me'), 'all me');
  assert.is(value('POST', '/books/new'), 'post id');
  assert.equal(value('PUT', '/books/new'), {
    allowedMethods: ['GET', 'HEAD', 'OPTIONS', 'POST'],
    values: ['get new', 'post id'],
    params: Object.assign(Object.create(null), { id: 'new' }),
  });
  const nothing = value('GET', '/nowhere');
  assert.ok(typeof nothing === 'object');
  assert.equal([nothing.allowedMethods, nothing.values], [[], []]);
  assert.is(value('GET', '/%'), 'malformed');
  router.add({ method: 'ALL', path: '/:any' }, 'all any');
  assert.is(value('PROPFIND', '/me'), 'all me');
  assert.is(value('PROPFIND', '/you'), 'all any');
});

test('a percent-encoded path is matched decoded', () => {
  const router = new Router<string>();
  router.add({ method: 'GET', path: '/a b' }, 'space');
  router.add({ method: 'GET', path: '/a%20b' }, 'percent');
  const value = (path: string) => {
    const found = router.find('GET', path);
    return found !== 'malformed' && 'value' in found ? found.value : undefined;
  };
  assert.is(value('/a%20b'), 'space');
  assert.is(value('/a%2520b'), 'percent');
});

test.run();
