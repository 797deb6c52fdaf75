import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type HttpRoute, httpRoute, mapHttpRoutes } from '../../../../plugins/http/index.js';
import { copyRoute } from '../../../../plugins/http/internal.js';

const test = suite('copies of routes');

const parts = {
  kind: 'test',
  file: 'test/a.ts',
  method: 'GET',
  path: '/a/:id',
  meta: {},
  handler: () => 1,
} as const;

/** The parts that have a value. */
const partsOf = (route: HttpRoute) =>
  Object.fromEntries(Object.entries(route).filter(([, value]) => value !== undefined));

test('a copy has every part, and changing it changes no other', () => {
  const every: Required<Parameters<typeof httpRoute>[0]> = {
    ...parts,
    chain: ['middlewares/a.ts'],
    members: [{ kind: 'tool', name: 'a', label: 'TOOL a', id: 'TOOL a', file: 'a.ts' }],
    checks: ['body'],
    tool: { name: 'a', description: 'A.' },
    definition: async () => undefined,
    timeLayer: (_name, handler) => handler,
    fronts: [() => false],
    hidden: false,
    errors: 'json',
    readsFirst: true,
    ready: async () => {},
  };
  const route = httpRoute(every);
  const copy = copyRoute(route);
  assert.equal(partsOf(copy), partsOf(route));
  copy.meta = { timeout: 1_000 };
  assert.equal(route.meta, {});
});

test('layers keep members that only the plugin of a route knows', () => {
  const own = { ...parts, queue: 'mails' };
  const [route] = mapHttpRoutes([httpRoute(own)], 'audit', ({ handler }) => handler);
  assert.equal(Reflect.get(route ?? {}, 'queue'), 'mails');
  const [again] = mapHttpRoutes([{ ...httpRoute(parts), ...own }], 'audit', ({ handler }) => handler);
  assert.equal(Reflect.get(again ?? {}, 'queue'), 'mails');
});

test.run();
