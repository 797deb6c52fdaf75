import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { casesIn, type Files, layouts, project } from '../../harness/project.js';
import { assertTold, refusal } from '../../harness/refusal.js';

// Mistakes under mcp/: one sentence each, all of them at once, before anything is served.

const of = (kind: string, text: string) =>
  `import { ${kind} } from 'fwkit/mcp';\nexport default ${kind}(${text});`;
const tool = (more = '') => of('tool', `{ description: 'x', ${more} handler: () => 'x' }`);
const prompt = (properties: string) =>
  of(
    'prompt',
    `{ input: { type: 'object', properties: ${properties}, $defs: { n: { type: 'number' } } }, handler: () => 'x' }`,
  );
const resource = (more = '') => of('resource', `{ description: 'x', ${more} handler: () => 'x' }`);

const mistakes: Readonly<Record<string, readonly [files: Files, file: string, sentence: string]>> = {
  'no export': [
    { 'mcp/tools/a.ts': 'export const x = 1;' },
    'mcp/tools/a.ts',
    'does not export a tool. Export default tool({ … }) from fwkit/mcp.',
  ],
  'the wrong kind': [{ 'mcp/prompts/a.ts': tool() }, 'mcp/prompts/a.ts', 'does not export a prompt.'],
  'no handler': [
    { 'mcp/tools/a.ts': of('tool', `{ description: 'x' }`) },
    'mcp/tools/a.ts',
    ':2: throws when it is imported: tool() needs a function "handler". Fix it there.',
  ],
  'no place': [
    { 'mcp/a.ts': tool() },
    'mcp/a.ts',
    'is neither in mcp/tools/, mcp/resources/ or mcp/prompts/ nor mcp/auth.',
  ],
  'two of one name': [
    { 'mcp/tools/a/b.ts': tool(), 'mcp/tools/aB.ts': tool() },
    'mcp/tools/aB.ts',
    'defines the tool aB, which src/mcp/tools/a/b.ts defines too. Rename or delete one of them.',
  ],
  'two of one URI': [
    { 'mcp/resources/a/b.ts': resource(), 'mcp/resources/a/c.ts': resource(`uri: 'a://b',`) },
    'mcp/resources/a/c.ts',
    'defines the resource a://b, which src/mcp/resources/a/b.ts defines too.',
  ],
  'two that dashes and directories make one': [
    { 'mcp/tools/create-note.ts': tool(), 'mcp/tools/create/note.ts': tool() },
    'mcp/tools/create/note.ts',
    'defines the tool createNote, which src/mcp/tools/create-note.ts defines too. Rename or delete one of them.',
  ],
  'a name of dashes': [{ 'mcp/tools/--.ts': tool() }, 'mcp/tools/--.ts', 'has the name "".'],
  'an argument of a prompt that is a number': [
    { 'mcp/prompts/a.ts': prompt(`{ id: { type: 'string' }, count: { type: ['integer', 'null'] } }`) },
    'mcp/prompts/a.ts',
    'has the argument "count", whose schema takes no string, and clients send strings only. Take a string, and convert it in the schema or the handler.',
  ],
  'one of numbers': [
    { 'mcp/prompts/a.ts': prompt(`{ count: { anyOf: [{ enum: [1, 2] }, { $ref: '#/$defs/n' }] } }`) },
    'mcp/prompts/a.ts',
    'has the argument "count", whose schema takes no string',
  ],
  'one that a library checks': [
    {
      'mcp/prompts/a.ts': of(
        'prompt',
        `{ input: { '~standard': {
          version: 1,
          vendor: 'own',
          validate: async (value) =>
            typeof value.size === 'number' ? { value } : { issues: [{ message: 'no', path: [{ key: 'size' }] }] },
          jsonSchema: { input: () => ({ type: 'object', properties: { size: { type: 'number' } } }), output: () => ({}) },
        } }, handler: () => 'x' }`,
      ),
    },
    'mcp/prompts/a.ts',
    'has the argument "size", whose schema takes no string',
  ],
  'a name that clients refuse': [
    { 'mcp/tools/a.ts': tool(`name: 'a b',`) },
    'mcp/tools/a.ts',
    'has the name "a b".',
  ],
  'a URI without a scheme': [
    { 'mcp/resources/a.ts': resource() },
    'mcp/resources/a.ts',
    'has no scheme for its URI.',
  ],
  'a URI that is none': [
    { 'mcp/resources/a.ts': resource(`uri: 'nothing',`) },
    'mcp/resources/a.ts',
    'has the uri "nothing", which is not a full URI.',
  ],
  'a variable that is none': [
    { 'mcp/resources/a.ts': resource(`uri: 'a://{/x}',`) },
    'mcp/resources/a.ts',
    'has a uri that has "{/x}", which is not a variable.',
  ],
  'a variable of many segments before the end': [
    { 'mcp/resources/a/[...b]/c.ts': resource() },
    'mcp/resources/a/[...b]/c.ts',
    'has "[...b]" before the end of its path.',
  ],
  'a completion of nothing': [
    { 'mcp/resources/a/[b].ts': resource('complete: { c: () => [] },') },
    'mcp/resources/a/[b].ts',
    'completes "c", but a://{b} has no such variable.',
  ],
  'a schema that is none': [
    { 'mcp/tools/a.ts': tool('input: 7,') },
    'mcp/tools/a.ts',
    'has an input that is not a schema.',
  ],
  'an invalid JSON Schema': [
    { 'mcp/tools/a.ts': tool(`input: { type: 'object', required: 7 },`) },
    'mcp/tools/a.ts',
    'has an input that is not a valid JSON Schema: ',
  ],
  'arguments that are no object': [
    { 'mcp/tools/a.ts': tool(`input: { type: 'string' },`) },
    'mcp/tools/a.ts',
    'has an input that describes "string", but arguments are always an object.',
  ],
  'a library without JSON Schema': [
    {
      'mcp/tools/a.ts': tool(
        `input: { '~standard': { version: 1, vendor: 'zod', validate: (value) => ({ value }) } },`,
      ),
    },
    'mcp/tools/a.ts',
    'has an input that has no JSON Schema, which clients need. Use zod 4.2 or newer.',
  ],
  'scopes that nobody checks': [
    { 'mcp/tools/a.ts': tool(`scopes: ['x'],`) },
    'mcp/tools/a.ts',
    'has scopes, but nothing checks tokens.',
  ],
  'an authorization server without TLS': [
    {
      'mcp/auth.ts': of('auth', `{ servers: ['http://evil.example'], verify: () => null }`),
      'mcp/tools/a.ts': tool(),
    },
    'mcp/auth.ts',
    'has servers ["http://evil.example"].',
  ],
  'no authorization server in the list': [
    { 'mcp/auth.ts': of('auth', `{ servers: [], verify: () => null }`), 'mcp/tools/a.ts': tool() },
    'mcp/auth.ts',
    'has servers []. Give the https URL of at least one authorization server, or leave servers out: tokens are of the app itself then.',
  ],
  'another route at the address': [
    {
      'mcp/tools/a.ts': tool(),
      'web/mcp.get.ts': `import { get } from 'fwkit';\nexport default get(() => 1);`,
    },
    'web/mcp.get.ts',
    'serves GET /mcp, which is the endpoint of mcp/.',
  ],
  'a middleware that would never run': [
    {
      'mcp/tools/a.ts': tool(),
      'mcp/tools/_middleware.ts': `import { middleware } from 'fwkit';\nexport default middleware((_req, _res, _ctx, next) => next());`,
    },
    'mcp/tools/_middleware.ts',
    'would never run: /mcp is one route.',
  ],
};

for (const layout of layouts) {
  const test = suite(`mistakes under mcp/, ${layout}`);
  for (const [name, [files, file, sentence]] of casesIn(layout, mistakes))
    test(name, async () => {
      const made = project(files, layout);
      const expected = layout === 'ts' ? sentence : sentence.replaceAll('src/', '');
      const line = /^(:\d+): /.exec(expected)?.[1];
      const stderr = await refusal(made, 'routes');
      if (line === undefined) assertTold(stderr, made, file, expected);
      else assert.ok(stderr.includes(`${made.label(file)}${expected}`), stderr);
    });

  test('what a module imports is blamed for what it throws, and nobody else', async () => {
    const made = project(
      {
        'lib/broken.ts': `throw new Error('broken');`,
        'mcp/tools/a.ts': `import '../../lib/broken.js';\n${tool()}`,
        'mcp/a.ts': 'export default 1;',
      },
      layout,
    );
    const stderr = await refusal(made, 'mcp');
    assert.ok(
      stderr.includes(`${made.label('lib/broken.ts')}:1: throws when it is imported: broken`),
      stderr,
    );
    assertTold(stderr, made, 'mcp/a.ts', 'is neither in mcp/tools/');
    assert.not.match(stderr, /does not export/);
  });

  test('disabled, its directory is plain files', async () => {
    const made = project(
      {
        'mcp/tools/a.ts': 'throw new Error("never imported");',
        'api/x.get.ts': `import { get } from 'fwkit';\nexport default get(() => 1);`,
        'fwk.config.ts': `import { defineConfig } from 'fwkit';\nexport default defineConfig({ disable: ['mcp'] });`,
      },
      layout,
    );
    assert.is((await fwk(made, 'routes')).stdout, 'GET /api/x\n');
    assert.match((await fwk(made, 'mcp')).stderr, /^FWK519 There is nothing for MCP clients/);
    await fwk(made, 'skills');
    assert.not.match(made.read('AGENTS.md'), /MCP/);
  });

  test('is a route like others', async () => {
    const made = project(
      {
        'mcp/tools/a.ts': tool(),
        'api/x.get.ts': `import { get } from 'fwkit';\nexport default get(() => 1);`,
      },
      layout,
    );
    assert.is((await fwk(made, 'routes')).stdout, 'GET /api/x\nMCP /mcp\n');
  });

  test.run();
}
