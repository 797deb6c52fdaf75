import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { editors } from '../../harness/editors.js';
import { fwk } from '../../harness/fwk.js';
import { type Project, project } from '../../harness/project.js';
import { sampled } from '../../harness/sample.js';

// Where an editor goes from a member of ctx, and from a call of the client: to the file, not to what fwk has generated.

const SERVICE = "import { service } from 'fwkit';\nexport default service(() => ({ now: () => 1 }));\n";

const files = {
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      target: 'es2022',
      module: 'nodenext',
      strict: true,
      allowJs: true,
      types: [],
      skipLibCheck: true,
    },
    include: ['src', '.fwk/**/*'],
  }),
  'services/clock.ts': SERVICE,
  'services/billing/tax.mts': SERVICE,
  'src/di/cart.js':
    "import { di } from 'fwkit';\nexport default di({ lifetime: 'session', value: { items: 1 } });\n",
  'services/reader.ts':
    "import { service } from 'fwkit';\nexport default service((ctx) => ({ read: () => [ctx.clock, ctx.rooms] }));\n",
  'api/books/[id].get.ts': `import { get } from 'fwkit';
export default get((_req, _res, ctx) => [ctx.clock.now(), ctx.billingTax, ctx.cart]);
`,
  'api/books/[id].delete.ts': "import { del } from 'fwkit';\nexport default del(() => 1);\n",
  'ws/rooms/[room].ts': "import { ws } from 'fwkit';\nexport default ws(() => {});\n",
  'lib/client.ts': `import { createClient } from 'fwkit/client';
const api = createClient('http://localhost');
api('/api/books/:id').get({ params: { id: 1 } });
api('/api/books/:id').del({ params: { id: 1 } });
api('/ws/rooms/:room').ws({ params: { room: 'a' } });
`,
};

const expected: readonly (readonly [file: string, before: string, word: string, to: string])[] = [
  ['api/books/[id].get.ts', '=> [', 'clock', 'src/services/clock.ts:1'],
  ['api/books/[id].get.ts', '=> [', 'billingTax', 'src/services/billing/tax.mts:1'],
  ['api/books/[id].get.ts', '=> [', 'cart', 'src/di/cart.js:1'],
  ['services/reader.ts', '=> [', 'clock', 'src/services/clock.ts:1'],
  ['lib/client.ts', '', 'get(', 'src/api/books/[id].get.ts:1'],
  ['lib/client.ts', '', 'del(', 'src/api/books/[id].delete.ts:1'],
  ['lib/client.ts', '', 'ws(', 'src/ws/rooms/[room].ts:1'],
];

async function written(): Promise<Project> {
  const made = project(files);
  assert.is((await fwk(made, 'types')).status, 0);
  return made;
}

for (const [version, edit] of sampled(Object.entries(editors))) {
  const test = suite(`definitions in TypeScript ${version}`);

  test('an editor goes to the file of a value, and to that of a route', async () => {
    const editor = await edit(await written());
    for (const [file, before, word, to] of expected)
      assert.equal([...new Set(await editor.definitions(file, before, word))], [to], `${word} of ${file}`);
    // What no file of the project makes is where it is declared.
    const [rooms = ''] = await editor.definitions('services/reader.ts', '=> [', 'rooms');
    assert.match(rooms, '.fwk/types.d.ts');
    editor.close();
  });

  test.run();
}
