import * as assert from 'uvu/assert';
import type { Graph } from '../../packages/prove/graph/graph.js';
import { createTestApp } from '../../testkit/index.js';
import { project } from '../harness/project.js';
import { graphOf } from './graph-of.js';
import { type Size, tellingApp } from './telling-app.js';

/** How what the graph says of the routes of an app compares with what running them shows. */
export interface Comparison {
  /** Units that a response was made by, and that the graph lacks: `api/g1/r2.get.ts services/s3.ts#default.m0`. */
  readonly missed: readonly string[];
  /** Keys of ctx that were used, over all routes that can be followed. */
  readonly used: number;
  /** Those that the graph names for them. */
  readonly named: number;
  /** Routes that cannot be followed. */
  readonly hiding: number;
  readonly routes: number;
  readonly graph: Graph;
}

/** Make an app, ask each of its routes, and compare. */
export async function compare(size: Size, seed: number): Promise<Comparison> {
  const files = tellingApp(size, seed);
  const app = await createTestApp({ dir: project(files).root });
  const graph = await graphOf(files);
  const missed: string[] = [];
  const counts = { used: 0, named: 0, hiding: 0, routes: 0 };
  try {
    for (const route of app.routes) {
      const path = route.label.replace('GET ', '');
      const told = new Set<string>();
      for (const query of ['', '?x=1'])
        for (const unit of (await (await app.get(path + query)).json()) as string[]) told.add(unit);
      assert.ok(told.size > 1, `${route.file} told nothing`);
      const { units, touched } = graph.reach([route.file, ...(route.chain ?? [])]);
      const keys = new Set([...told].flatMap((unit) => /^(?:services|di)\/(\w+)/.exec(unit)?.[1] ?? []));
      for (const unit of told) if (!units.has(unit)) missed.push(`${route.file} ${unit}`);
      for (const key of keys) if (!touched.has(key)) missed.push(`${route.file} ctx.${key}`);
      counts.routes++;
      if (graph.leavesOf(units).blind.length > 0) counts.hiding++;
      else {
        counts.used += keys.size;
        counts.named += [...touched].filter((key) => graph.providers.has(key)).length;
      }
    }
  } finally {
    await app.close();
  }
  return { missed, graph, ...counts };
}
