import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Facts } from '../../packages/prove/facts/facts.js';
import { factsOf } from '../../packages/prove/facts/module-facts.js';
import { Graph } from '../../packages/prove/graph/graph.js';
import { graphOf } from './graph-of.js';
import { random } from './random.js';
import { tellingApp } from './telling-app.js';

// The graph of a version that takes over what another one has: the same as if it had been made of nothing.

const test = suite('two versions of a graph');

const files = tellingApp({ routes: 40, isHiding: true }, 7);
const names = Object.keys(files);
const entries = names.filter((file) => !file.startsWith('lib/'));

/** An id of a unit has another letter, or another unit is called. */
function edited(text: string, r: ReturnType<typeof random>): string {
  if (r.chance(0.5)) return text.replace(/'[\w/.-]+#/, (id) => `'X${id.slice(1)}`);
  return text.replace(/\.m([012])\(/, (_, m) => `.m${(Number(m) + 1) % 3}(`);
}

const told = (graph: Graph) =>
  entries.map((file) => {
    const { units, touched } = graph.reach([file]);
    return [[...units].sort(), [...touched].sort(), [...graph.leavesOf(units).packages]];
  });

test('100 edits: links are shared where nothing leads elsewhere, and answers are those of a new graph', async () => {
  const r = random(7);
  const first = await graphOf(files);
  const counts = { shared: 0, other: 0 };
  for (let i = 0; i < 100; i++) {
    const name = r.pick(names);
    const text = edited(files[name] ?? '', r);
    const modules = new Map<string, Facts>([...first.modules, [name, factsOf(name, text)]]);
    const { destinations, providers } = first;
    const linkable = { modules, destinations, providers, entries };
    const [like, alone] = [new Graph(linkable, first), new Graph(linkable)];
    assert.equal(told(like), told(alone), name);
    counts[like.hasLinksOf(first) ? 'shared' : 'other']++;
  }
  assert.ok(counts.shared > 30 && counts.other > 10, JSON.stringify(counts));
});

test.run();
