import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { emitModule, type Generation } from '../../kernel/index.js';

const TEST = 'test/app.test';

/** Starters that a test can be of, by the end of their paths. */
const SUBJECTS: readonly { readonly file: RegExp; readonly test: string }[] = [
  {
    file: /api\/hello\/\[name\]\.get\.m?[jt]s$/,
    test: `test('the endpoint greets by name', async () => {
  const response = await app.get('/api/hello/you');
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), { message: 'Hello, you!' });
});
`,
  },
  {
    file: /web\/get\.m?[jt]s$/,
    test: `test('the page is HTML', async () => {
  const response = await app.get('/');
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\\/html/);
});
`,
  },
];

/**
 * Emit a test of the starters that were `emitted`, except where they were there before without one: what they are by now
 * is not known. Gives the script that runs it.
 */
export function emitTest(generation: Generation, emitted: readonly string[]): string | undefined {
  const { project, flags } = generation;
  const { root, language } = project;
  const isThere = [language, 'ts', 'mts', 'js', 'mjs'].some((end) =>
    existsSync(join(root, project.display(`${TEST}.${end}`))),
  );
  const isCertain = (path: string) => isThere || flags.force === true || !existsSync(join(root, path));
  const tests = SUBJECTS.filter(({ file }) => emitted.some((path) => file.test(path) && isCertain(path)));
  if (tests.length === 0) return undefined;
  emitModule(generation, TEST, () => HEAD + tests.map(({ test }) => test).join('\n'));
  return 'fwk test';
}

const HEAD = `import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestApp } from 'fwkit/testing';

const app = await createTestApp();
after(() => app.close());

`;
