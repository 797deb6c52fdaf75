import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { type Files, layouts, project } from '../../harness/project.js';
import { assertReported, refusal } from '../../harness/refusal.js';
import { compared, tsc } from '../../harness/tsc.js';

const of = (kind: string, text: string) =>
  `import { ${kind} } from 'fwkit/mcp';\nexport default ${kind}(${text});`;
const tool = (more = '') => of('tool', `{ description: 'x', ${more} handler: () => 'x' }`);
const prompt = (properties: string) =>
  of(
    'prompt',
    `{ input: { type: 'object', properties: ${properties}, $defs: { n: { type: 'number' } } }, handler: () => 'x' }`,
  );
const resource = (more = '') => of('resource', `{ description: 'x', ${more} handler: () => 'x' }`);
const checks = (body: string) => `{ '~standard': { version: 1, vendor: 'zod', ${body} } }`;
const layer = `import { middleware } from 'fwkit';\nexport default middleware((_req, _res, _ctx, next) => next());`;
const plain = `import { get } from 'fwkit';\nexport default get(() => 1);`;

const route = (method: string, definition: string, meta = ''): string =>
  `import { ${method} } from 'fwkit';
import * as v from 'valibot';
import { z } from 'zod';
export default ${method}(${definition}, () => undefined)${meta};
`;
const OBJECT = 'z.object({ id: z.number() })';

/** The file of each mistake, its text and the message. */
type Mistakes = Readonly<Record<string, readonly [text: string, sentence: string]>>;

const inMcp: Mistakes = {
  'mcp/tools/no-export.ts': [
    'export const x = 1;',
    'does not export a tool. Export default tool({ … }) from fwkit/mcp.',
  ],
  'mcp/prompts/wrong-kind.ts': [tool(), 'does not export a prompt.'],
  'mcp/tools/no-handler.ts': [
    of('tool', `{ description: 'x' }`),
    ':2: throws when it is imported: tool() needs a function "handler". Fix it there.',
  ],
  'mcp/tools/unknown-key.ts': [
    of('tool', `{ desciption: 'x', handler: () => 1 }`),
    ':2: throws when it is imported: tool() has an unknown key "desciption": it takes handler, name, title,',
  ],
  'mcp/tools/unknown-auth-key.ts': [
    of('auth', `{ scopees: ['admin'], verify: () => null }`),
    ':2: throws when it is imported: auth() has an unknown key "scopees": it takes verify, servers, scopes, resource.',
  ],
  'mcp/tools/missing-view.ts': [
    tool(`view: 'nothing',`),
    'shows the view "nothing", but views/nothing.eta does not exist. Create it, or correct the name.',
  ],
  'mcp/tools/missing-page.ts': [
    tool(`view: { name: 'nothing.html' },`),
    'shows the view "nothing.html", but views/nothing.html does not exist.',
  ],
  'mcp/tools/other-policy.ts': [
    tool(`view: { name: 'nothing', prefersBorder: true },`),
    'describes the page "nothing" in another way than src/mcp/tools/missing-view.ts. A page has one policy: give both the same.',
  ],
  'mcp/no-place.ts': [tool(), 'is not in mcp/tools/, mcp/resources/ or mcp/prompts/, and is not mcp/auth.'],
  'mcp/tools/aB.ts': [
    tool(),
    'defines the tool aB, which src/mcp/tools/a/b.ts also defines. Rename or delete one of them.',
  ],
  'mcp/resources/a/c.ts': [
    resource(`uri: 'a://b',`),
    'defines the resource a://b, which src/mcp/resources/a/b.ts also defines.',
  ],
  'mcp/tools/create/note.ts': [
    tool(),
    'defines the tool createNote, which src/mcp/tools/create-note.ts also defines. Rename or delete one of them.',
  ],
  'mcp/tools/--.ts': [tool(), 'has the name "".'],
  'mcp/prompts/number.ts': [
    prompt(`{ id: { type: 'string' }, count: { type: ['integer', 'null'] } }`),
    'has the argument "count", whose schema does not accept strings, but clients only send strings. Accept a string, and convert it in the schema or the handler.',
  ],
  'mcp/prompts/numbers.ts': [
    prompt(`{ count: { anyOf: [{ enum: [1, 2] }, { $ref: '#/$defs/n' }] } }`),
    'has the argument "count", whose schema does not accept strings',
  ],
  'mcp/prompts/library.ts': [
    of(
      'prompt',
      `{ input: ${checks(
        `validate: async (value) =>
          typeof value.size === 'number' ? { value } : { issues: [{ message: 'no', path: [{ key: 'size' }] }] },
        jsonSchema: { input: () => ({ type: 'object', properties: { size: { type: 'number' } } }), output: () => ({}) }`,
      )}, handler: () => 'x' }`,
    ),
    'has the argument "size", whose schema does not accept strings',
  ],
  'mcp/tools/spaced.ts': [tool(`name: 'a b',`), 'has the name "a b".'],
  'mcp/resources/no-scheme.ts': [resource(), 'has no scheme for its URI.'],
  'mcp/resources/no-uri.ts': [resource(`uri: 'nothing',`), 'has the uri "nothing", which is not a full URI.'],
  'mcp/resources/no-variable.ts': [
    resource(`uri: 'a://{/x}',`),
    'has a uri that has "{/x}", which is not a variable.',
  ],
  'mcp/resources/rest/[...b]/c.ts': [resource(), 'has "[...b]" before the end of its path.'],
  'mcp/resources/completes/[b].ts': [
    resource('complete: { c: () => [] },'),
    'completes "c", but completes://{b} has no such variable.',
  ],
  'mcp/tools/no-schema.ts': [tool('input: 7,'), 'has an input that is not a schema.'],
  'mcp/tools/invalid-schema.ts': [
    tool(`input: { type: 'object', required: 7 },`),
    'has an input that is not a valid JSON Schema: ',
  ],
  'mcp/tools/no-object.ts': [
    tool(`input: { type: 'string' },`),
    'has an input that describes "string", but arguments are always an object.',
  ],
  'mcp/tools/no-json-schema.ts': [
    tool(`input: ${checks('validate: (value) => ({ value })')},`),
    'has an input that has no JSON Schema, which clients need. Import zod 4.2 or newer from "zod", not from "zod/mini".',
  ],
  'mcp/tools/scoped.ts': [tool(`scopes: ['x'],`), 'has scopes, but nothing checks tokens.'],
  'web/mcp.get.ts': [plain, 'serves GET /mcp, which is the endpoint of mcp/.'],
  'mcp/tools/_middleware.ts': [layer, 'would never run: /mcp is one route.'],
};

/** Routes that cannot be tools. */
const ofRoutes: Mistakes = {
  'api/a.post.ts': [route('post', '{ tool: { name: "taken" } }'), 'defines the tool taken, which src/mcp/'],
  'api/b/c.get.ts': [
    route('get', '{ tool: true }'),
    'defines the tool getBC, which src/api/b-c.get.ts also defines. Rename or delete one of them.',
  ],
  'api/c/[id].post.ts': [
    route('post', `{ body: ${OBJECT}, tool: true }`),
    'is a tool, and both its params and its body have "id": rename one of them. Remove "tool", or define a tool() in mcp/tools/.',
  ],
  'api/d.post.ts': [
    route('post', '{ body: v.object({ n: v.number() }), tool: true }'),
    'is a tool, and its body schema has no JSON Schema, which clients need: wrap it in toStandardJsonSchema()',
  ],
  'api/e.get.ts': [
    route('get', '{ response: v.object({ n: v.number() }), tool: true }'),
    'is a tool, and its response schema has no JSON Schema',
  ],
  'api/f.get.ts': [
    route('get', '{ headers: z.object({ "x-key": z.string(), cookie: z.string() }), tool: true }'),
    'is a tool, and its headers schema requires "x-key", which an argument cannot set.',
  ],
  'api/g.post.ts': [
    route('post', '{ body: z.union([z.object({}), z.string()]), tool: true }'),
    'is a tool, and its body schema accepts values that are not objects, but arguments are always an object.',
  ],
  'api/h.post.ts': [
    route('post', '{ body: z.object({ photos: z.array(z.file()) }), tool: true }'),
    'is a tool, and "photos" of its body is a file: arguments are JSON.',
  ],
  'api/i.put.ts': [
    route('put', '{ tool: true }', '.meta({ body: "stream" })'),
    'is a tool, and has .meta({ body: "stream" }), which a tool cannot send.',
  ],
  'api/j.all.ts': [
    route('all', '{ tool: true }'),
    'is a tool, and ALL is not a method that a tool can send.',
  ],
  'api/k.get.ts': [route('get', '{ tool: { name: "a b" } }'), 'has the name "a b". Use 1 to 128 letters'],
  'api/ü.get.ts': [route('get', '{ tool: true }'), 'has the name "getÜ". Use 1 to 128 letters'],
  'api/l.get.ts': [route('get', '{ tool: { scopes: ["x"] } }'), 'has scopes, but nothing checks tokens.'],
  'api/m.get.ts': [
    route('get', '{ tool: { nmae: "x" } }'),
    ':4: the "tool" of get() must be true, or an object with the strings name, title and description, annotations and an array of scopes; its "nmae" is invalid.',
  ],
  'api/n.get.ts': [
    route('get', '{ tool: { annotations: { readOnlyHint: "yes" } } }'),
    ':4: the "tool" of get() must be true, or an object with the strings name, title and description, annotations and an array of scopes; its "annotations" is invalid.',
  ],
  'api/o.get.ts': [route('get', '{ tool: false }'), ':4: the "tool" of get() must be'],
};

const right: Files = {
  'mcp/tools/a/b.ts': tool(),
  'mcp/tools/create-note.ts': tool(),
  'mcp/tools/taken.ts': tool(),
  'mcp/resources/a/b.ts': resource(),
  'api/b-c.get.ts': route('get', '{ tool: true }'),
  'api/no-tool/[id].post.ts': route('post', `{ body: ${OBJECT} }`),
};

/** Only one auth can be wrong at a time. */
const ofAuth: readonly (readonly [definition: string, sentence: string])[] = [
  [`{ servers: ['http://evil.example'], verify: () => null }`, 'has servers ["http://evil.example"].'],
  [
    '{ servers: [], verify: () => null }',
    'has servers []. Give the https URL of at least one authorization server, or omit servers if the app issues its own tokens.',
  ],
];

for (const layout of layouts) {
  const test = suite(`mistakes of MCP, ${layout}`);

  test('reports all mistakes at once, each with its file', async () => {
    const mistakes = { ...inMcp, ...ofRoutes };
    const texts = Object.entries(mistakes).map(([name, [text]]) => [name, text]);
    const made = project({ ...right, ...Object.fromEntries(texts) }, layout);
    linkLibraries(made);
    const stderr = await refusal(made, 'routes');
    for (const [file, [, sentence]] of Object.entries(mistakes))
      assertReported(stderr, made, file, layout === 'ts' ? sentence : sentence.replaceAll('src/', ''));
    assert.match(stderr, new RegExp(`^${Object.keys(mistakes).length} problems in `));
  });

  for (const [definition, sentence] of ofAuth)
    test(`an auth that ${sentence}`, async () => {
      const made = project({ 'mcp/auth.ts': of('auth', definition), 'mcp/tools/a.ts': tool() }, layout);
      assertReported(await refusal(made, 'routes'), made, 'mcp/auth.ts', sentence);
    });

  test('an error of an imported module names only that module', async () => {
    const made = project(
      {
        'lib/broken.ts': `throw new Error('broken');`,
        'mcp/tools/a.ts': `import '../../lib/broken.js';\n${tool()}`,
      },
      layout,
    );
    const stderr = await refusal(made, 'mcp');
    assertReported(stderr, made, 'lib/broken.ts', ':1: throws when it is imported: broken');
    assert.not.match(stderr, /does not export/);
  });

  test('if the plugin is disabled, its directory has plain files', async () => {
    const made = project(
      {
        'mcp/tools/a.ts': 'throw new Error("never imported");',
        'api/x.get.ts': plain,
        'fwk.config.ts': `import { defineConfig } from 'fwkit';\nexport default defineConfig({ disable: ['mcp'] });`,
      },
      layout,
    );
    assert.is((await fwk(made, 'routes')).stdout, 'GET /api/x\n');
    assert.match((await fwk(made, 'mcp')).stderr, /^FWK519 There is nothing for MCP clients/);
    await fwk(made, 'skills');
    assert.not.match(made.read('AGENTS.md'), /MCP/);
  });

  test.run();
}

const types = suite('types of tool');

const compiling = (definition: string): string => `import { get } from 'fwkit';
export default get(
  {
    ${definition}
  },
  () => 'x',
);
`;

types('unknown keys and values of another type do not compile', async () => {
  const wrong: Files = {
    'api/a.get.ts': compiling('tolo: true, //! TS2561 TS2353'),
    'api/b.get.ts': compiling(`tool: { nmae: 'x' }, //! TS2561 TS2353`),
    'api/c.get.ts': compiling('tool: 7, //! TS2322'),
    'api/d.get.ts': compiling(`tool: { annotations: { readOnly: true } }, //! TS2561 TS2353`),
    'api/e.get.ts': compiling(`tool: { scopes: 'x' }, //! TS2322`),
    'api/h.get.ts': compiling(`tool: { view: 'hom' }, //! TS2322 TS2820`),
    'api/i.get.ts': compiling(`tool: { view: { name: 'home', cps: {} } }, //! TS2561 TS2353`),
    'mcp/tools/a.ts': of('tool', `{ view: 'hom', //! TS2322 TS2820\n handler: () => 'x' }`),
  };
  const made = project({
    ...wrong,
    'views/home.eta': '',
    'api/f.get.ts': compiling('tool: true,'),
    'api/j.get.ts': compiling(`tool: { view: 'home' },`),
    'mcp/tools/b.ts': of(
      'tool',
      `{ view: { name: 'x.html', permissions: { camera: {} } }, handler: () => 'x' }`,
    ),
    'api/g.get.ts': compiling(
      `title: 'a', tool: { name: 'a', title: 'b', description: 'c', annotations: { readOnlyHint: true }, scopes: ['s'] },`,
    ),
  });
  await fwk(made, 'types');
  assert.equal(compared(made, await tsc(made), wrong), { missing: [], surplus: [] });
});

types.run();
