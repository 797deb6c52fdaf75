import { appendFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { copyOf } from '../examples/example.js';
import { inRepository, repository } from './impact-repository.js';
import { projectIn, readSections } from './project-text.js';
import { tryEdits } from './random-edits.js';

// Random edits of three apps, which run before and after each edit: `fwk impact` must list every route whose responses
// change. Other edits: `SEED=7 EDITS=200 node dist/test/run-file.js dist/test/prove/impact-random.test.js`.

const seed = Number(process.env.SEED ?? 1);
const count = Number(process.env.EDITS ?? 25);
let starts = 0;

const test = suite('impact of random edits');

const appOf = (name: string) => {
  if (name !== 'bookshop') return repository(projectIn(name));
  const made = copyOf('bookshop', ['libsql', 'zod']);
  appendFileSync(made.path('.gitignore'), 'node_modules\n');
  return inRepository(made, made.root);
};

for (const name of ['warehouse', 'helpdesk', 'bookshop'])
  test(name, async () => {
    const requests = readSections(name).get('requests') ?? '';
    // Each start of the bookshop has its own database.
    const reset = () => {
      starts += 1;
      process.env.DATABASE = `random-${starts}.db`;
    };
    const { missed, summary } = await tryEdits(appOf(name), { requests, count, seed, reset });
    console.log(`${name}: ${summary}`);
    assert.equal(missed, []);
  });

test.run();
