import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../harness/fwk.js';
import { repo } from '../harness/installed.js';
import { project } from '../harness/project.js';
import { tsc } from '../harness/tsc.js';
import { GET } from './static-project.js';

// "Write a policy", from its text: the policies compile, and the reports match.

const test = suite('docs/policy.md of @fwkit/prove');

const page = readFileSync(path.join(repo, 'packages/prove/docs/policy.md'), 'utf8');
const blocks = [...page.matchAll(/^```ts\n\/\/ src\/(\S+)\n([\s\S]*?)^```$/gm)];
const shown = [...page.matchAll(/^\$ npx fwk prove\n([\s\S]*?)^```$/gm)].map(([, text = '']) => masked(text));

/** Masks the numbers of a report, which differ between runs. */
function masked(report: string): string {
  return report.replace(/[\d,]+ requests, [\d,]+ ms/, 'N requests, N ms');
}

test('the examples compile, and fwk prove prints the reports on the page', async () => {
  const files = Object.fromEntries(blocks.map(([, name = '', text = '']) => [name, text]));
  assert.ok(Object.keys(files).length >= 6, Object.keys(files).join());
  const made = project(files);
  assert.is((await fwk(made, 'types')).status, 0);
  assert.equal(await tsc(made), []);
  made.remove('api/health.get.ts');
  const correct = await fwk(made, 'prove');
  assert.equal([correct.status, masked(correct.stdout), correct.stderr], [0, shown[0], '']);
  made.write('api/(open)/admin/export.get.ts', GET);
  const broken = await fwk(made, 'prove');
  assert.equal([broken.status, masked(broken.stdout)], [1, shown[1]]);
});

test('the tables list each format, kind of finding and call', async () => {
  const kinds = [...page.matchAll(/^\| `(\w+)` \| /gm)].map(([, kind]) => kind);
  const { stdout } = await fwk(project({ 'fwk.config.ts': blocks[0]?.[2] ?? '' }), 'prove', '--help');
  for (const flag of ['--static', '--json', '--github', '--since', '--baseline']) {
    assert.ok(stdout.includes(flag), flag);
    assert.ok(page.includes(flag), flag);
  }
  const source = readFileSync(path.join(repo, 'packages/prove/policy/findings.ts'), 'utf8');
  const types = [...source.matchAll(/^export type \w+Kind = .*/gm)].join();
  const all = [...types.matchAll(/'(\w+)'/g)].map(([, kind]) => kind);
  assert.equal(kinds.sort(), all.sort());
});

test.run();
