import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, start } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { node, nodes } from '../../harness/nodes.js';
import { tools } from '../../harness/packages.js';
import { type Files, type Project, project } from '../../harness/project.js';

const files: Files = {
  'lib/price.ts': `export type Cents = number;

export interface Price {
  readonly net: Cents;
}

export const round = (net: number): Cents => Math.round(net);

export function forgotten(price: Price): Cents {
  const twice: number = price.net * 2;
  return round(twice);
}

export class Till {
  open(): string {
    return 'open';
  }

  never(): string {
    return 'never';
  }
}
`,
  'api/pay.get.ts': `import { get } from 'fwkit';
import { round, Till } from '../lib/price.js';

interface Answer {
  readonly total: number;
}

export default get((req): Answer | string => {
  if (req.query.how === 'closed') {
    const closed: string = 'closed';
    return closed;
  }
  new Till().open();
  return { total: round(Number(req.query.net) * 1.2) };
});
`,
  'api/unused.get.ts': `import { get } from 'fwkit';

export default get(() => {
  return { never: 'asked' };
});
`,
};

/** Sends one request per app, so that the code of a file runs several times. */
const asks = `for (const turn of [1, 2]) {
  const app = await createTestApp();
  const answer = await (await app.get('/api/pay?net=100')).json();
  await app.close();
  if (answer.total !== 120) throw new Error('not 120 but ' + JSON.stringify(answer));
}
`;

interface FileCoverage {
  readonly statementMap: Readonly<Record<string, { readonly start: { readonly line: number } }>>;
  readonly s: Readonly<Record<string, number>>;
}

/** The lines with statements that did and did not run, as a coverage tool reports them. */
function lines(made: Project, file: string): { ran: number[]; left: number[] } {
  const report: Record<string, FileCoverage> = JSON.parse(made.read('coverage/coverage-final.json'));
  const { statementMap, s } = report[made.path(file)] ?? { statementMap: {}, s: {} };
  const places = Object.entries(statementMap).map(([id, { start }]) => ({ line: start.line, count: s[id] }));
  const of = (ran: boolean) => places.filter(({ count = 0 }) => count > 0 === ran).map(({ line }) => line);
  return { ran: of(true), left: of(false) };
}

/** Whether the report matches the lines that ran. */
function isTold(made: Project, file: string, ran: readonly number[], left: readonly number[]): void {
  const reported = lines(made, file);
  assert.equal([ran.filter((line) => !reported.ran.includes(line)), file], [[], file]);
  assert.equal([left.filter((line) => !reported.left.includes(line)), file], [[], file]);
  assert.equal([left.filter((line) => reported.ran.includes(line)), file], [[], file]);
  assert.equal([ran.filter((line) => reported.left.includes(line)), file], [[], file]);
}

function isTrue(made: Project): void {
  isTold(made, 'lib/price.ts', [7, 16], [10, 11, 20]);
  isTold(made, 'api/pay.get.ts', [9, 13, 14], [10, 11]);
  isTold(made, 'api/unused.get.ts', [], [4]);
}

const test = suite('coverage');

for (const [name, program] of nodes())
  test(`${name}: c8 reports which lines ran`, async () => {
    const made = project({
      ...files,
      'test/ask.mjs': `import { createTestApp } from 'fwkit/testing';\n${asks}`,
    });
    const c8 = path.join(tools(), 'node_modules/c8/bin/c8.js');
    const args = [c8, '--src', 'src', '--include', 'src/**', '--reporter', 'json', program, 'test/ask.mjs'];
    const { status, stdout, stderr } = await ended(start(node(20), args, made.root), 'c8');
    assert.is(status, 0, stdout + stderr);
    isTrue(made);
  });

const byRunner = {
  'node --test': [
    '--test',
    `import { test } from 'node:test';
import { createTestApp } from 'fwkit/testing';
test('asks', async () => {
${asks}});
`,
  ],
  uvu: [
    '--enable-source-maps',
    `import { test } from 'uvu';
import { createTestApp } from 'fwkit/testing';
test('asks', async () => {
${asks}});
test.run();
`,
  ],
} as const;

for (const [runner, [flag, text]] of Object.entries(byRunner))
  test(`${runner}: c8 reports which lines ran`, async () => {
    const made = project({ ...files, 'test/ask.test.mjs': text });
    linkLibraries(made, 'uvu');
    const c8 = path.join(tools(), 'node_modules/c8/bin/c8.js');
    const program = [process.execPath, flag, 'test/ask.test.mjs'];
    const args = [c8, '--src', 'src', '--include', 'src/**', '--reporter', 'json', ...program];
    const { status, stdout, stderr } = await ended(start(node(20), args, made.root), 'c8');
    assert.is(status, 0, stdout + stderr);
    isTrue(made);
  });

test('vitest reports which lines ran, and tests share modules with the app', async () => {
  const made = project({
    ...files,
    'test/ask.test.js': `import { createTestApp } from 'fwkit/testing';
import { expect, test, vi } from 'vitest';
import { Till } from '../src/lib/price.js';
test('asks', async () => {
  const open = vi.spyOn(Till.prototype, 'open');
${asks}
  expect(open).toHaveBeenCalledTimes(2);
});
`,
  });
  for (const name of ['vitest', '@vitest/coverage-v8']) {
    mkdirSync(path.dirname(made.path(`node_modules/${name}`)), { recursive: true });
    symlinkSync(path.join(tools(), 'node_modules', name), made.path(`node_modules/${name}`));
  }
  const vitest = path.join(tools(), 'node_modules/vitest/vitest.mjs');
  const flags = ['--coverage', '--coverage.include=src/**', '--coverage.reporter=json'];
  const { status, stdout, stderr } = await ended(
    start(process.execPath, [vitest, 'run', ...flags], made.root),
    'vitest',
  );
  assert.is(status, 0, stdout + stderr);
  isTrue(made);
});

test.run();
