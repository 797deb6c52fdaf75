import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { launch } from '../harness/fwk.js';
import { installed } from '../harness/installed.js';
import { nodes } from '../harness/nodes.js';
import { build, production } from '../harness/settings.js';
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
await build(made);

const sources = async (node: string) => {
  const bin = path.join(installed(), 'node_modules/fwkit/cli/fwk.js');
  const launched = launch(node, [bin, 'dev', '--port', '0'], made.root);
  const [, url = ''] = await launched.output.waitFor(/(http:\/\/\S+:\d+)\/$/m);
  return { ...launched, url };
};
const compiled = (node: string) => production(made, 'dist/main.js', node);

for (const [name, node] of nodes()) {
  for (const [mode, serve] of Object.entries({ sources, compiled })) {
    const test = suite(`${name}, ${mode}`);
    let outcomes: readonly unknown[] = [];

    test.before(async () => {
      const { url, stop } = await serve(node);
      const answer = await fetch(`${url}/api/cases`);
      if (answer.ok) outcomes = JSON.parse(await answer.text());
      await stop();
    });

    test('answers', () => assert.is(outcomes.length, Object.keys(cases).length));

    for (const [index, [does, { gives }]] of Object.entries(cases).entries())
      test(does, () => assert.equal(outcomes[index], gives));

    test.run();
  }
}
