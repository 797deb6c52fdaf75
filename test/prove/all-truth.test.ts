import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compare } from './reached-by-running.js';

// As graph-truth, with 500 routes each.

const test = suite('the graph against running apps of 500 routes');

for (const seed of [7, 21, 99])
  for (const isHiding of [false, true])
    test(`seed ${seed}, ${isHiding ? 'ctx hidden at times' : 'all can be followed'}`, async () => {
      const { missed, used, named, hiding, routes } = await compare({ routes: 500, isHiding }, seed);
      console.log(`${routes} routes, ${hiding} hide ctx: ${named} keys named of ${used} used`);
      assert.equal(missed, []);
      assert.is(hiding > 0, isHiding);
      assert.ok(named / used <= 1.1, `${named} of ${used}`);
    });

test.run();
