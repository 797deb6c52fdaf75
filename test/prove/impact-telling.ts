import { createTestApp } from '../../testkit/index.js';
import { project } from '../harness/project.js';
import { type Answers, type Edit, type Trial, tryEdits } from './impact-trial.js';
import { random } from './random.js';
import { type Size, tellingApp } from './telling-app.js';

/** Edit functions of a generated app at random, and run each version of it. */
export async function tryTelling(size: Size, edits: number, seed: number): Promise<Trial> {
  const files = tellingApp(size, seed);
  const made = project(files);
  const answers = async (): Promise<Answers> => {
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
  };
  return tryEdits(made, randomEdits(files, edits, seed), answers);
}

/** A name that a function tells is another one: services, helpers, values and middlewares as often as routes. */
function randomEdits(files: Readonly<Record<string, string>>, count: number, seed: number): Edit[] {
  const r = random(seed + 1);
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
