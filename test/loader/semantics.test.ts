import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, fwk, start } from '../harness/fwk.js';
import { installed } from '../harness/installed.js';
import { nodes } from '../harness/nodes.js';
import { Output } from '../harness/output.js';
import { production } from '../harness/settings.js';
import { bindings } from './semantics/bindings.js';
import { failures } from './semantics/failures.js';
import { order } from './semantics/order.js';
import { packages } from './semantics/packages.js';
import { shop } from './semantics/shop.js';
import { stacks } from './semantics/stacks.js';
import { typescript } from './semantics/typescript.js';

// Sources under fwk dev behave like their compiled form under Node, and both as the language specifies.

const cases = { ...order, ...bindings, ...failures, ...typescript, ...packages, ...stacks };
const made = shop(cases);
const built = await fwk(made, 'build');
assert.is(built.status, 0, built.stdout + built.stderr);

const sources = async (node: string) => {
  const bin = path.join(installed(), 'node_modules/fwkit/cli/fwk.js');
  const child = start(node, [bin, 'dev', '--port', '0'], made.root);
  const output = new Output(child);
  const [, url = ''] = await output.waitFor(/(http:\/\/\S+:\d+)\/$/m);
  return { child, url, end: ended(child, 'fwk dev', output) };
};
const compiled = (node: string) => production(made, 'dist/main.js', node);

for (const [name, node] of nodes()) {
  for (const [mode, serve] of Object.entries({ sources, compiled })) {
    const test = suite(`${name}, ${mode}`);
    let outcomes: readonly unknown[] = [];

    test.before(async () => {
      const { child, url, end } = await serve(node);
      const answer = await fetch(`${url}/api/cases`);
      if (answer.ok) outcomes = JSON.parse(await answer.text());
      child.kill('SIGTERM');
      await end;
    });

    test('answers', () => assert.is(outcomes.length, Object.keys(cases).length));

    for (const [index, [does, { gives }]] of Object.entries(cases).entries())
      test(does, () => assert.equal(outcomes[index], gives));

    test.run();
  }
}
