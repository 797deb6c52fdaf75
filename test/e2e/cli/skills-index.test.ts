import { existsSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { repo } from '../../harness/installed.js';
import { linkLibraries } from '../../harness/libraries.js';
import { type Files, layouts, type Project, project } from '../../harness/project.js';
import { module } from '../../harness/source.js';
import { tsc } from '../../harness/tsc.js';

// AGENTS.md: small enough to be always in view, and its examples are right as they stand.

const LIMIT_BYTES = 8_192;

/** What examples use without saying where it comes from. */
const IMPORTS = `import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { bootstrap, defineConfig, di, error, file, get, type HttpRequest, middleware, type Part, post, service, sse, view, ws } from 'fwkit';
import { tool } from 'fwkit/mcp';
import { createTestApp } from 'fwkit/testing';
import { z } from 'zod';
import { fake, open, Taken, type User } from '#world';
`;

const WORLD: Files = {
  'package.json': '{ "type": "module", "private": true, "imports": { "#world": "./src/lib/world.js" } }',
  'lib/world.ts': `export class Taken extends Error {}
export interface User { readonly name: string; readonly isAdmin: boolean }
export const fake = { send: async () => {} };
export const open = async (_name: string | undefined) => ({ get: (id: number) => ({ id }), close: () => {} });
`,
  'services/mail.ts': module('service', 'export default service(() => ({ send: async () => {} }));'),
  'services/notes.ts': module(
    'service',
    `export default service(() => ({ all: () => [{ text: 'tea' }], search: async (word: string) => [word] }));`,
  ),
  'services/news.ts': module(
    'service',
    'export default service(() => ({ subscribe: (hear: (one: unknown) => void) => () => void hear }));',
  ),
};

/** Where the example of a service leaves out what others ask of it. */
const MORE_OF_BOOKS = `review: (book: { id: number }, text: string) => ({ book, text }), async *lines() { yield 'a'; }, `;

async function indexOf(made: Project): Promise<string> {
  const { status, stderr } = await fwk(made, 'skills', '--ide', 'codex');
  assert.is(status, 0, stderr);
  return made.read('AGENTS.md');
}

const test = suite('AGENTS.md');

for (const layout of layouts)
  test(`${layout}: it has all conventions in 8 KB`, async () => {
    const text = await indexOf(
      project({ 'api/x.get.ts': module('get', 'export default get(() => 1);') }, layout),
    );
    assert.ok(Buffer.byteLength(text) <= LIMIT_BYTES, `${Buffer.byteLength(text)} bytes`);
    for (const word of [
      'ctx.user',
      'views/',
      'public/',
      'createTestApp',
      'renewSession',
      'workers',
      'mcp: { sessions: false }',
      'await buffer(req.body)',
      'mcp/tools',
      'ws/rooms',
    ])
      assert.ok(text.includes(word), word);
    assert.is(/: (string|number)\b|HttpRequest</.test(text), layout === 'ts');
  });

test('its examples compile and boot at the places that they name', async () => {
  const made = project(WORLD);
  linkLibraries(made);
  const [, code = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(await indexOf(made)) ?? [];
  const examples = code.split(/^(?=\/\/ src\/)/m);
  assert.ok(examples.length > 12);
  for (const example of examples) {
    const [, name = ''] = /^\/\/ src\/([^\s:]+\.ts)/.exec(example) ?? [];
    if (name !== 'fwk.config.ts')
      made.write(name, IMPORTS + example.replace('return { find:', `return { ${MORE_OF_BOOKS}find:`));
  }
  made.write('views/notes.eta', '<p>notes</p>');
  assert.is((await fwk(made, 'types')).status, 0);
  assert.equal(
    await tsc(made, undefined, { verbatimModuleSyntax: false, exactOptionalPropertyTypes: false }),
    [],
  );
  const { status, stdout, stderr } = await fwk(made, 'routes');
  assert.is(status, 0, stderr);
  for (const route of [
    'POST /api/books/:id',
    'GET /api/export',
    'POST /api/pictures',
    'GET /api/live',
    'GET /notes',
    'WS /ws/rooms/:room',
  ])
    assert.ok(stdout.includes(route), route);
});

test('each page that it names is there', async () => {
  const text = await indexOf(project({}));
  const named = [...text.matchAll(/`(guide|operate|reference)\/`: ([\w -]+)/g)].flatMap(
    ([, folder = '', names = '']) => names.split(' ').map((name) => `${folder}/${name}.md`),
  );
  assert.ok(named.length > 25);
  assert.equal(
    named.filter((page) => !existsSync(path.join(repo, 'docs', page))),
    [],
  );
});

test('it speaks of what is switched on, and of what plugins bring', async () => {
  const config = `import { defineConfig } from 'fwkit';
import { definePlugin } from 'fwkit/plugin';
const jobs = (name: string, guide: object) => definePlugin({ name, apply() {}, guide: async () => guide });
export default defineConfig({
  disable: ['ws', 'mcp', 'session', 'cors'],
  plugins: [
    jobs('short', { guidance: () => '## Long text', brief: () => ({ files: [['short/x.ts', 'a short thing']] }) }),
    jobs('silent', { guidance: () => '## Of silent\\n\\nAll that it says.' }),
  ],
});
`;
  const text = await indexOf(project({ 'fwk.config.ts': config }));
  for (const word of ['ws/rooms', 'mcp/tools', 'sessions: false', 'renewSession', 'cors: {', 'Long text'])
    assert.not.ok(text.includes(word), word);
  for (const word of ['| `short/x.ts` | a short thing |', 'All that it says.'])
    assert.ok(text.includes(word), word);
});

test.run();
