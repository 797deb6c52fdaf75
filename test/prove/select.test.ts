import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { httpRoute, Router } from '../../app/entries/http.js';
import type { Selected, Target } from '../../packages/prove/policy/findings.js';
import { dataOf, under } from '../../packages/prove/policy/rule.js';
import { matcherOf, Table, targetsOf, witnesses } from '../../packages/prove/policy/targets.js';

// `under` selects a route with parameters where some URL below the pattern gets to it: compared with all URLs there are.

const test = suite('routes whose parameters take a URL below a pattern');

const RUNS = 1_000;
const METHODS = { GET: ['GET', 'HEAD'], POST: ['POST'], ALL: ['GET', 'POST', 'DELETE'] } as const;
type Method = keyof typeof METHODS;

/** All URL paths of up to five segments. The last two belong to no route. */
const URLS = (() => {
  const words = ['a', 'b', 'azz', 'zz'];
  let longest = [''];
  const all: string[] = [];
  for (let depth = 0; depth < 5; depth++) {
    longest = longest.flatMap((path) => words.map((word) => `${path}/${word}`));
    all.push(...longest);
  }
  return all;
})();

const segment = fc.constantFrom('a', 'b', ':p');
const path = fc
  .tuple(fc.array(segment, { minLength: 0, maxLength: 2 }), fc.boolean())
  .map(([segments, isCatchAll]) => {
    const named = segments.map((one, index) => (one === ':p' ? `:p${index}` : one));
    return `/${[...named, ...(isCatchAll ? ['*rest'] : [])].join('/')}`;
  });
const route = fc.record({ method: fc.constantFrom<Method>('GET', 'POST', 'ALL'), path });
const pattern = fc
  .array(fc.constantFrom('a', 'b', '*', '**', '{a,b}', 'a*'), { minLength: 1, maxLength: 3 })
  .map((segments) => segments.join('/'));

const targetOf = ({ method, path: url }: { method: Method; path: string }): Target[] => [
  ...targetsOf([
    httpRoute({ kind: 'api', file: url.slice(1) || 'index', method, path: url, meta: {}, handler: () => 1 }),
  ]),
];

/** By all URLs: the labels of routes with parameters that a request below `glob` gets to. */
function reached(targets: readonly Target[], glob: string): Set<string> {
  const router = new Router<Target>();
  for (const target of targets) router.add({ method: target.method as Method, path: target.path }, target);
  const matches = matcherOf(glob);
  const found = new Set<string>();
  for (const url of URLS.filter((one) => matches(one.slice(1))))
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE']) {
      const match = router.find(method, url);
      if (typeof match === 'object' && 'value' in match) found.add(match.value.label);
    }
  return found;
}

const select = (targets: readonly Target[], glob: string): readonly Selected[] => {
  const rule = dataOf(under(glob));
  return rule ? new Table(targets).select(rule) : [];
};

test('selection is correct for random routes and patterns', () => {
  let witnessed = 0;
  fc.assert(
    fc.property(
      fc.uniqueArray(route, { minLength: 1, maxLength: 8, selector: shapeOf }),
      pattern,
      (routes, glob) => {
        const targets = routes.flatMap(targetOf);
        const isOwn = ({ path: url, file }: Target) =>
          [url.slice(1), file].some((one) => matcherOf(glob)(one));
        const selected = select(targets, glob);
        const byUrl = selected.filter(({ witness }) => witness !== undefined);
        witnessed += byUrl.length;
        const expected = reached(targets, glob);
        const parametric = targets.filter((target) => !isOwn(target) && /[:*]/.test(target.path));
        assert.equal(
          byUrl.map(({ label }) => label).sort(),
          parametric
            .map(({ label }) => label)
            .filter((label) => expected.has(label))
            .sort(),
        );
        for (const { witness = '' } of byUrl) assert.ok(matcherOf(glob)(witness.slice(1)), witness);
      },
    ),
    { numRuns: RUNS, seed: 17 },
  );
  // Otherwise the generator found no witnesses, and nothing was tested.
  assert.ok(witnessed > RUNS / 5, `${witnessed}`);
});

function shapeOf({ method, path: url }: { method: Method; path: string }): string {
  return `${method} ${url.replace(/:\w+/g, ':').replace(/\*\w+/g, '*')}`;
}

test('patterns that match very many URLs terminate', () => {
  const began = performance.now();
  const glob = '**/{a,b}/**/{a,b}/**/{a,b}/**';
  const some = [...witnesses(glob, '/:a/:b/:c/*rest', 12)].slice(0, 3);
  assert.ok(some.length > 0);
  select(
    Array.from({ length: 300 }, (_, at) => targetOf({ method: 'GET', path: `/:a/x${at}/*rest` })).flat(),
    glob,
  );
  assert.ok(performance.now() - began < 20_000);
});

test.run();
