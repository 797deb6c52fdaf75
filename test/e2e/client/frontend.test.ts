import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, fwk } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { longTools } from '../../harness/packages.js';
import { type Files, type Project, project } from '../../harness/project.js';
import { sampled, unsampled } from '../../harness/sample.js';
import { compared, compilers, tsc, unreported } from '../../harness/tsc.js';
import { right } from './typed.js';

/** With one schema library only: the types of several take the compiler seconds. */
const names = [
  'api/books/[id].get.ts',
  'api/form.post.ts',
  'api/ticks.get.ts',
  'ws/rooms/[room].ts',
  'web/page.get.ts',
];

const routes: Files = {
  ...Object.fromEntries(names.map((name) => [name, right[name] ?? ''])),
  'api/tree.get.ts': `import { get } from 'fwkit';
interface Tree { at: Date; children: Tree[]; named: Record<string, Tree> }
const tree: Tree = { at: new Date(), children: [], named: {} };
export default get(() => ({ any: 1, tree }));
`,
  'api/kinds.get.ts': `import { get } from 'fwkit';
import { Size } from '../lib/size.js';
enum Kind { Novel = 'novel', Poem = 'poem' }
export default get(() => ({ kind: Kind.Novel as Kind, size: Size.Large as Size, by: { [Kind.Poem]: 1 } }));
`,
  'api/annotated.post.ts': `import { post, type HttpRequest } from 'fwkit';
interface Author { name: string; mentor?: Author | undefined }
interface Place { name: string; }
interface Note { place: Place | null; author: Author; note?: string; stars: { [place: string]: Place | null } }
export default post((req: HttpRequest<never, Note>) => req.body.place?.name.length ?? 0);
`,
  'api/json.patch.ts': `import { patch } from 'fwkit';
import { z } from 'zod';
import { Size } from '../lib/size.js';
type Ring = number | Ring[];
export default patch(
  { query: z.object({ size: z.enum(Size).optional() }), body: z.object({ size: z.enum(Size).optional(), any: z.literal('any').optional(), doc: z.json().optional() }) },
  ({ body }): { doc: typeof body.doc; ring: Ring } => ({ doc: body.doc, ring: 1 }),
);
`,
  'lib/size.ts': 'export enum Size { Small, Large = 7 }',
  'api/branded.post.ts': `import { post } from 'fwkit';
import { z } from 'zod';
export default post({ body: z.object({ any: z.any() }), response: z.string().brand('slug') }, () => 'x');
`,
};

const frontend: Files = {
  'right.ts': `import { createClient, data } from 'fwkit/client';
import type { Paths } from './paths.js';
const api = createClient<Paths>(location.origin);
const timer: number = setTimeout(() => {}, 1);
const book = await api('/api/books/:id').get({ params: { id: timer }, query: { page: 1 } });
if (book.ok) { const kind: 'novel' | 'poem' = book.data.kind; const added: string = book.data.added; void [kind, added]; }
else if (book.status === 410) book.error.since.length;
else if (book.status === 422) book.error.errors[0]?.path;
else if (book.status === 409) book.error.tags;
else book.error.message;
const slug: string = await data(api('/api/branded').post({ body: { any: 1 } }));
const { kind, size, by } = await data(api('/api/kinds').get());
const isKnown: [kind: 'novel' | 'poem', size: 0 | 7, by: number] = [kind, size, by.poem];
void isKnown;
await api('/api/annotated').post({ body: { place: { name: 'x' }, author: { name: 'x' }, stars: { x: null } } });
const { doc } = await data(api('/api/json').patch({ query: { size: 7 }, body: { size: 0, any: 'any', doc: { a: [1, null] } } }));
const json: string | number | boolean | object | null | undefined = doc;
void json;
const page: string = await data(api('/page').get());
await api('/api/form').post({ body: { title: slug, cover: new File([], page) } });
for await (const tick of await data(api('/api/ticks').get({ query: { from: 1 } })))
  if (tick.event === 'bye') tick.data.length; else tick.data.at.length;
const room = api('/ws/rooms/:room').ws({ params: { room: 'tea' } });
room.send({ type: 'say', text: 'x' });
for await (const { by } of room) by.length;
const response: Response = await api.raw('/api/books/:id').head({ params: { id: 1 } });
void response;
`,
  'wrong.ts': `import { createClient } from 'fwkit/client';
import type { Paths } from './paths.js';
const api = createClient<Paths>(location.origin);
await api('/api/book').get(); //! TS2345 // Argument of type '"/api/book"' is not assignable to parameter of type
await api('/api/json').patch({ body: { size: 1 } }); //! TS2322 // Type '1' is not assignable to type '0 | 7 | undefined'
await api('/api/form').post({ body: { title: 7, cover: new File([], 'x') } }); //! TS2322 // Type 'number' is not assignable to type 'string'
const r = await api('/api/books/:id').get({ params: { id: 1 } });
r.data.title; //! TS18048 // 'r.data' is possibly 'undefined'
if (r.ok) r.data.added.getTime(); //! TS2339 // Property 'getTime' does not exist on type 'string'
if (r.status === 410) r.error.message; //! TS2339 // Property 'message' does not exist on type '{ since: string; }'
const t = await api('/api/tree').get();
if (t.ok) t.data.tree.children[0].at; //! TS2571 TS2532 TS18046 TS2339 // unknown
if (t.ok) for await (const x of t.data) void x; //! TS2504 // must have a '[Symbol.asyncIterator]()' method
api('/ws/rooms/:room').ws({ params: { room: 'tea' } }).send({ type: 'shout' }); //! TS2322 // Type '"shout"' is not assignable to type
`,
};

const browser = {
  lib: ['es2022', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  types: [],
  skipLibCheck: false,
};

/** Settings of the server that must not change the output. */
const SETTINGS = JSON.stringify({
  compilerOptions: {
    target: 'es2022',
    lib: ['es2023'],
    module: 'nodenext',
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    composite: true,
    declarationDir: 'declarations',
    removeComments: true,
    newLine: 'crlf',
  },
  include: ['src', '.fwk/**/*'],
});

function serverWith(files: Files, version = '7'): Project {
  const made = project(files);
  linkLibraries(made);
  made.write('tsconfig.json', SETTINGS);
  if (version === '7') return made;
  const compiler = path.join(longTools(), 'node_modules/typescript');
  mkdirSync(path.join(made.root, 'node_modules'), { recursive: true });
  symlinkSync(compiler, path.join(made.root, 'node_modules/typescript'));
  return made;
}

for (const [version, compiler] of sampled(Object.entries(compilers))) {
  const test = suite(`TypeScript ${version}`);

  test('a frontend type-checks with the generated file and fwkit/client alone', async () => {
    const server = serverWith(routes, version);
    const page = project(frontend);
    const file = page.path('paths.ts');
    const { status, stderr } = await fwk(server, 'types', '--client', file);
    assert.is(status, 0, stderr);
    assert.is(
      stderr,
      [
        'POST /api/annotated: "body.author.mentor"',
        'PATCH /api/json: "ok.default.ring"',
        'GET /api/tree: "ok.default.tree.children"',
        'GET /api/tree: "ok.default.tree.named.[x: string]"',
      ]
        .map((place) => `${place} is a type that contains itself. It is unknown in ${file}.\n`)
        .join(''),
    );
    const text = page.read('paths.ts');
    assert.not.match(text.replace(/^ *(?:readonly )?(?:any|"[^"]*")\??:|"any"/gm, ''), /\bany\b/);
    assert.equal(
      [...new Set([...text.matchAll(/import\("[^)]*\)/g)].map(String))],
      ['import("fwkit/client")'],
    );
    const diagnostics = await tsc(page, compiler(), browser);
    assert.equal(compared(page, diagnostics, frontend), { missing: [], surplus: [] });
    assert.equal(unreported(diagnostics, frontend), []);

    if (version !== '7') return;
    const before = page.mtime('paths.ts');
    assert.is((await fwk(server, 'types', '--client', file)).status, 0);
    assert.is(page.mtime('paths.ts'), before);
    assert.is(server.exists('.fwk/client'), false);
  });

  test.run();
}

const test = suite('messages of one sentence');
const sentence = async (server: Project, file: string): Promise<string> => {
  const { status, stderr }: Ended = await fwk(server, 'types', '--client', file);
  assert.is(status, 1);
  return stderr.trim();
};

unsampled(test)('a JavaScript project generates frontend types in a new folder', async () => {
  const made = project(
    { 'api/hello.get.ts': `import { get } from 'fwkit';\nexport default get(() => ({ a: 'b' }));\n` },
    'js',
  );
  assert.is((await fwk(made, 'types', '--client', 'web-app/api.d.ts')).status, 0);
  assert.match(made.read('web-app/api.d.ts'), /readonly default: \{\s+a: string;/);
});

unsampled(test)('supports routes whose types exceed the length that the compiler prints', async () => {
  const route = `import { get } from 'fwkit';
import type { Wide } from '../lib/wide.js';
export default get((): Wide => ({}) as Wide);
`;
  const made = serverWith({
    'lib/wide.ts': `type D = ${[...'0123456789'].map((digit) => `'${digit}'`).join(' | ')};
export type Wide = { [Name in \`fieldWithANameThatIsFarLongerThanOthers\${D}\${D}\${D}\`]: Date };
`,
    ...Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`api/r${index}.get.ts`, route])),
  });
  const { status, stderr } = await fwk(made, 'types', '--client', made.path('out.ts'));
  assert.is(status, 0, stderr);
  assert.is([...made.read('out.ts').matchAll(/Others999: string;/g)].length, 50);
});

unsampled(test)('rejects a target that is not TypeScript, not generated, or not writable', async () => {
  const made = serverWith({
    'api/hello.get.ts': `import { get } from 'fwkit';\nexport default get(() => 1);\n`,
  });
  assert.match(
    await sentence(made, 'api.js'),
    /^(?:FWK\d{3} )?--client takes a file whose name ends in \.ts or \.d\.ts, not "api\.js"\.$/m,
  );
  assert.match(
    await sentence(made, 'src/api/hello.get.ts'),
    / src\/api\/hello\.get\.ts: was not written by fwk types --client\. Move it away/,
  );
  made.write('taken', '');
  assert.match(await sentence(made, 'taken/api.ts'), /taken\/api\.ts: cannot be .*ENOTDIR/);
});

unsampled(test)('reports a route whose type is unknown because the project does not compile', async () => {
  const cases = [
    [
      'api/gone.post.ts',
      `export { default } from '../lib/gone.js';\n`,
      'The type of POST /api/gone is not known while',
    ],
    [
      'api/torn.get.ts',
      `import { get } from 'fwkit';\nexport default get(`,
      'The types of the routes are not known while',
    ],
    [
      'api/half.get.ts',
      `import { get } from 'fwkit';\nimport { x } from 'nope';\nexport default get(() => x);\n`,
      'not known while',
    ],
  ] as const;
  const tried = cases.map(async ([file, text, diagnostics]) => {
    const made = serverWith({ [file]: text });
    const said = await sentence(made, 'out.d.ts');
    assert.match(
      said,
      `${diagnostics.replace(/ while$/, '')} while the project does not compile. Fix what fwk build reports.`,
    );
    assert.is(made.exists('out.d.ts'), false);
  });
  await Promise.all(tried);
});

test.run();
