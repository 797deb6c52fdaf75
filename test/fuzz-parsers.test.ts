import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fuzzParsers } from './fuzz/parsers/campaign.js';
import { inSample } from './harness/sample.js';

// A short run of `npm run fuzz:parsers`.

const test = suite('fuzzed parsers');

test('every input is parsed, or refused as a problem of the client', async () => {
  const all = await fuzzParsers(inSample(1, 3), 1);
  const found = all.flatMap(({ findings }) => [...findings.values()]);
  assert.equal(
    found.map(
      ({ target, what, input }) => `${target}: ${what}, by ${JSON.stringify(input.toString('latin1'))}`,
    ),
    [],
  );
  for (const { target, executions } of all)
    assert.ok(executions > 0, `${target.name}: ${executions} executions`);
});

test.run();
