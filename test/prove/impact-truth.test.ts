import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestApp } from '../../testkit/index.js';
import { Random } from '../fuzz/random.js';
import { project } from '../harness/project.js';
import { inSample } from '../harness/sample.js';
import { type Answers, type Edit, tryEdits } from './impact-trial.js';
import { tellingApp } from './telling-app.js';

// Random edits of a generated app: every route whose response changes must be in the list of `fwk impact`.

const test = suite('impact against running apps');
const EDITS = inSample(16, 60);

for (const [seed, isHiding] of [
  [11, false],
  [12, true],
] as const)
  test(`${EDITS} edits of an app ${isHiding ? 'that sometimes hides ctx' : 'whose routes can be followed'}`, async () => {
    const files = tellingApp({ routes: 40, isHiding }, seed);
    const made = project(files);
    const trial = await tryEdits(made, randomEdits(files, EDITS, seed), async (): Promise<Answers> => {
      const app = await createTestApp({ dir: made.root });
      try {
        const found = new Map<string, string>();
        for (const route of app.routes) {
          const path = route.label.replace('GET ', '');
          const texts = await Promise.all(
            ['', '?x=1'].map(async (query) => (await app.get(path + query)).text()),
          );
          found.set(made.label(route.file), texts.join('\n'));
        }
        return found;
      } finally {
        await app.close();
      }
    });
    const { outside, throughData, foretold, changed } = trial;
    assert.equal([...outside, ...throughData], []);
    assert.ok(changed > EDITS);
    if (!isHiding) assert.ok(foretold <= 1.3 * changed, `${foretold} of ${changed}`);
  });

/** Changes one name that a function returns. Edits services, helpers, values and middlewares as often as routes. */
function randomEdits(files: Readonly<Record<string, string>>, count: number, seed: number): Edit[] {
  const r = new Random(seed + 1);
  const pools = [/^services\//, /^lib\/h/, /^di\/|iddleware/, /./].map((pool) =>
    Object.keys(files).filter((name) => pool.test(name) && name !== 'lib/index.ts'),
  );
  return Array.from({ length: count }, (_, index): Edit => {
    const name = r.pick(pools[index % pools.length] ?? []);
    const before = files[name] ?? '';
    const { index: at } = r.pick([...before.matchAll(/'[\w/.-]+#/g)]);
    return { name, before, after: `${before.slice(0, at + 1)}X${before.slice(at + 1)}` };
  });
}

test.run();
