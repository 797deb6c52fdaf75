import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { graphOf } from './graph-of.js';
import { hidden } from './hidden-ways.js';
import { random } from './random.js';

// Whatever way ctx takes, what is called at its end is known. Each program is run as well, so that it is certain to call it.

const test = suite('ways that hide ctx');

const COUNT = 1_000;
const SERVICE =
  "import { service } from 'fwkit';\nexport default service(() => ({ m0: () => 1, m1: () => 2 }));\n";
const SERVICES = { 'services/s1.ts': SERVICE, 'services/s2.ts': SERVICE };

test(`${COUNT} programs`, async () => {
  const r = random(17);
  let followed = 0;
  for (let i = 0; i < COUNT; i++) {
    const { ways, text, script } = hidden(r);
    const told = `program ${i}, ${ways.join(' › ')}:\n${text}`;
    let calls = 0;
    const services = { s1: { m0: () => calls++, m1: () => 0 }, s2: { m0: () => 0, m1: () => 0 } };
    new Function(script)()({}, {}, services);
    assert.ok(calls > 0, `not called by ${told}`);
    const graph = await graphOf({ ...SERVICES, 'api/a.get.ts': text });
    const { touched, units } = graph.reach(['api/a.get.ts']);
    assert.ok(touched.has('s1') && units.has('services/s1.ts#default.m0'), `missed in ${told}`);
    if (!touched.has('s2')) followed += 1;
  }
  // Else everything were counted as everything.
  assert.ok(followed > COUNT / 6, `${followed} of ${COUNT} were followed`);
});

test.run();
