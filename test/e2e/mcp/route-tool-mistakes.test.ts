import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { type Files, layouts, project } from '../../harness/project.js';
import { assertTold, refusal } from '../../harness/refusal.js';
import { compared, tsc } from '../../harness/tsc.js';

// Routes that cannot be tools: one sentence each, all of them at once; and what does not compile.

const route = (method: string, definition: string, meta = ''): string =>
  `import { ${method} } from 'fwkit';
import * as v from 'valibot';
import { z } from 'zod';
export default ${method}(${definition}, () => undefined)${meta};
`;
const OBJECT = 'z.object({ id: z.number() })';

/** The file of each mistake, its text and what is reported. */
const mistakes: Readonly<Record<string, readonly [text: string, sentence: string]>> = {
  'api/a.post.ts': [route('post', '{ tool: { name: "taken" } }'), 'defines the tool taken, which src/mcp/'],
  'api/b/c.get.ts': [
    route('get', '{ tool: true }'),
    'defines the tool getBC, which src/api/b-c.get.ts defines too. Rename or delete one of them.',
  ],
  'api/c/[id].post.ts': [
    route('post', `{ body: ${OBJECT}, tool: true }`),
    'is a tool, and both its params and its body have "id": rename one of them. Leave out "tool", or write a tool() in mcp/tools/.',
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
    'is a tool, and its headers schema requires "x-key", which no argument can be.',
  ],
  'api/g.post.ts': [
    route('post', '{ body: z.union([z.object({}), z.string()]), tool: true }'),
    'is a tool, and its body schema takes more than objects, which arguments always are.',
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
    ':4: the "tool" of get() must be true, or an object with texts as name, title and description, annotations and a list of scopes; its "nmae" is not right.',
  ],
  'api/n.get.ts': [
    route('get', '{ tool: { annotations: { readOnlyHint: "yes" } } }'),
    ':4: the "tool" of get() must be true, or an object with texts as name, title and description, annotations and a list of scopes; its "annotations" is not right.',
  ],
  'api/o.get.ts': [route('get', '{ tool: false }'), ':4: the "tool" of get() must be'],
};

const right: Files = {
  'mcp/tools/taken.ts': `import { tool } from 'fwkit/mcp';\nexport default tool({ handler: () => 1 });\n`,
  'api/b-c.get.ts': route('get', '{ tool: true }'),
  'api/no-tool/[id].post.ts': route('post', `{ body: ${OBJECT} }`),
};

for (const layout of layouts) {
  const test = suite(`mistakes of routes that are tools, ${layout}`);
  test('are reported with their file, all at once', async () => {
    const texts = Object.entries(mistakes).map(([name, [text]]) => [name, text]);
    const made = project({ ...right, ...Object.fromEntries(texts) }, layout);
    linkLibraries(made);
    const stderr = await refusal(made, 'routes');
    for (const [file, [, sentence]] of Object.entries(mistakes)) {
      const line = /^:\d+: /.test(sentence);
      const expected = layout === 'ts' ? sentence : sentence.replaceAll('src/', '');
      if (line)
        assert.ok(stderr.includes(`${made.label(file)}${expected}`), `${file}: ${expected}\n${stderr}`);
      else assertTold(stderr, made, file, expected);
    }
    assert.match(stderr, new RegExp(`^${Object.keys(mistakes).length} problems in `));
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

types('a key that is none, and a value of another type, do not compile', async () => {
  const wrong: Files = {
    'api/a.get.ts': compiling('tolo: true, //! TS2561 TS2353'),
    'api/b.get.ts': compiling(`tool: { nmae: 'x' }, //! TS2561 TS2353`),
    'api/c.get.ts': compiling('tool: 7, //! TS2322'),
    'api/d.get.ts': compiling(`tool: { annotations: { readOnly: true } }, //! TS2561 TS2353`),
    'api/e.get.ts': compiling(`tool: { scopes: 'x' }, //! TS2322`),
  };
  const made = project({
    ...wrong,
    'api/f.get.ts': compiling('tool: true,'),
    'api/g.get.ts': compiling(
      `title: 'a', tool: { name: 'a', title: 'b', description: 'c', annotations: { readOnlyHint: true }, scopes: ['s'] },`,
    ),
  });
  await fwk(made, 'types');
  assert.equal(compared(made, await tsc(made), wrong), { missing: [], surplus: [] });
});

types.run();
