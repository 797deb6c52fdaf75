import * as assert from 'uvu/assert';
import { fileOf } from '../../packages/prove/facts/facts.js';
import type { Graph } from '../../packages/prove/graph/graph.js';
import type { Leaves } from '../../packages/prove/graph/links.js';
import { excessOf } from '../../packages/prove/reach/may.js';
import { graphOf } from './graph-of.js';
import { type Random, random } from './random.js';
import { tellingApp } from './telling-app.js';

interface Plant {
  /** What is written at the top of the file, and in the code. */
  readonly top?: string;
  readonly code: string;
  /** Of `may`, and the last step of the way. */
  readonly name: string;
  readonly shown: string;
  isIn(leaves: Leaves): boolean;
}

const PLANTS: readonly Plant[] = [
  {
    code: 'process.env.PLANTED',
    name: 'env:PLANTED',
    shown: 'process.env.PLANTED',
    isIn: ({ env }) => env.has('PLANTED'),
  },
  {
    top: "import * as planted from 'node:child_process';\n",
    code: "planted.execSync('true')",
    name: 'node:child_process',
    shown: 'node:child_process',
    isIn: ({ builtins }) => builtins.has('node:child_process'),
  },
  {
    top: "import planted from 'nodemailer';\n",
    code: 'planted()',
    name: 'nodemailer',
    shown: 'nodemailer',
    isIn: ({ packages }) => packages.has('nodemailer'),
  },
  { code: "fetch('http://x')", name: 'net', shown: 'fetch', isIn: ({ net }) => net.has('fetch') },
  {
    code: "import('node:fs')",
    name: 'fs',
    shown: 'node:fs',
    isIn: ({ builtins }) => builtins.has('node:fs'),
  },
  {
    code: "process.getBuiltinModule('vm')",
    name: 'node:vm',
    shown: 'node:vm',
    isIn: ({ builtins }) => builtins.has('node:vm'),
  },
];

/** Plant forbidden things, one at a time, in places that a route reaches, and see that it is told of that route, and of no other. */
export async function plant(count: number, seed: number): Promise<void> {
  const files = tellingApp({ routes: 80, isHiding: false }, seed);
  const r = random(seed);
  const base = await graphOf(files);
  const routes = Object.keys(files).filter((file) => file.endsWith('.get.ts'));
  for (let planted = 0; planted < count; planted++) {
    const route = r.pick(routes);
    const unit = r.pick(places(base, route, files));
    const isKey = r.chance(0.2) && /(?<![.#\w])ctx\b/.test(lineOf(files, unit));
    const one = isKey ? keyPlant(base, route, r) : r.pick(PLANTS);
    const file = fileOf(unit);
    const text = `${one.top ?? ''}${files[file]?.replace(`['${unit}'`, `[String(${one.code}), '${unit}'`)}`;
    assert.is.not(text, files[file], unit);
    const graph = await graphOf({ ...files, [file]: text });
    const where = `${one.name} in ${unit}, seed ${seed}`;
    check(graph, route, unit, one, isKey, where);
    for (const other of routes) {
      if (base.reach(roots(other)).units.has(unit)) continue;
      assert.not.ok(
        !isKey && one.isIn(graph.leavesOf(graph.reach(roots(other)).units)),
        `${where}: ${other}`,
      );
    }
  }
}

const CHAIN = ['middlewares/1.trace.ts'];
const roots = (route: string): string[] => [route, ...CHAIN];

function check(graph: Graph, route: string, unit: string, one: Plant, isKey: boolean, where: string): void {
  const { units, touched } = graph.reach(roots(route));
  assert.ok(isKey ? touched.has(one.name) : one.isIn(graph.leavesOf(units)), where);
  // What a value of ctx does itself is its own: all that it reaches is allowed to it.
  const may = new Set([...touched].filter((key) => key !== one.name));
  const found = { label: `GET ${route}`, kind: 'api', file: route, before: CHAIN };
  const excess = excessOf(graph, found, may).find(({ name }) => name === one.name);
  const isOwn = !isKey && /^(services|di)\//.test(unit);
  if (isOwn) return assert.is(excess, undefined, where);
  assert.is(excess?.path[0], CHAIN.includes(fileOf(unit)) ? fileOf(unit) : 'route', where);
  assert.ok(excess?.path.includes(one.shown), `${where}: ${excess?.path.join(' → ')}`);
  if (!isKey && fileOf(unit) !== route && !CHAIN.includes(fileOf(unit)))
    assert.ok(excess?.path.includes(fileOf(unit)), `${where}: ${excess?.path.join(' → ')}`);
}

/** Another value of ctx than those that the route uses. */
function keyPlant(base: Graph, route: string, r: Random): Plant {
  const { touched } = base.reach(roots(route));
  const name = r.pick([...base.providers.keys()].filter((key) => key.startsWith('s') && !touched.has(key)));
  return { code: `ctx.${name}.m0()`, name, shown: `ctx.${name}`, isIn: () => true };
}

/** Units that a route reaches, and that answer with their names. */
const places = (graph: Graph, route: string, files: Readonly<Record<string, string>>): string[] =>
  [...graph.reach(roots(route)).units].filter((unit) => lineOf(files, unit) !== '').sort();

const lineOf = (files: Readonly<Record<string, string>>, unit: string): string =>
  files[fileOf(unit)]?.split('\n').find((line) => line.includes(`['${unit}'`)) ?? '';
