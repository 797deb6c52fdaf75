import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev, fwk } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { type Files, type Project, project } from '../../harness/project.js';
import { begin, call, post, rpc } from '../../harness/rpc.js';
import { compared, tsc } from '../../harness/tsc.js';

const right: Files = {
  'mcp/tools/json.ts': `import { tool } from 'fwkit/mcp';
export default tool({
  description: 'Plain JSON Schema.',
  input: {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'integer' }, c: { enum: ['x', 'y'] }, d: { type: 'array', items: { type: 'number' } } },
    required: ['a'],
  },
  output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
  handler: ({ a, b, c, d }) => {
    const text: string = a;
    const whole: number | undefined = b;
    const letter: 'x' | 'y' | undefined = c;
    return { sum: text.length + (whole ?? 0) + (letter === 'x' ? 1 : 0) + (d ?? []).reduce((sum, n) => sum + n, 0) };
  },
});
`,
  'mcp/tools/zod.ts': `import { tool } from 'fwkit/mcp';
import * as z from 'zod';
export default tool({
  description: 'zod.',
  input: z.object({ text: z.string().min(2), times: z.number().default(2) }),
  output: z.object({ text: z.string() }),
  handler: async ({ text, times }) => ({ text: text.repeat(times) }),
});
`,
  'mcp/tools/valibot.ts': `import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { tool } from 'fwkit/mcp';
import * as v from 'valibot';
export default tool({
  description: 'valibot.',
  input: toStandardJsonSchema(v.object({ text: v.string() })),
  handler: ({ text }) => text.toUpperCase(),
});
`,
  'mcp/tools/days.ts': `import { tool } from 'fwkit/mcp';
import * as z from 'zod';
export default tool({
  description: 'The day after.',
  input: z.object({ day: z.coerce.date() }),
  output: z.object({ after: z.date() }),
  handler: ({ day }) => ({ after: new Date(day.getTime() + 86_400_000) }),
});
`,
  'mcp/tools/named.ts': `import { tool } from 'fwkit/mcp';
import * as z from 'zod';
const Node = z.object({ id: z.number(), get next() { return z.union([Node, z.null()]); } }).meta({ id: 'Node' });
export default tool({ output: Node, handler: () => ({ id: 1, next: { id: 2, next: null } }) });
`,
  'mcp/tools/either.ts': `import { tool } from 'fwkit/mcp';
import * as z from 'zod';
const Either = z.union([z.object({ a: z.number() }), z.object({ b: z.string() })]);
export default tool({ output: Either, handler: () => ({ b: 'x' }) });
`,
  'mcp/tools/list.ts': `import { tool } from 'fwkit/mcp';
import * as z from 'zod';
export default tool({ output: z.array(z.number()), handler: () => [1] });
`,
  'mcp/tools/arktype.ts': `import { type } from 'arktype';
import { tool } from 'fwkit/mcp';
export default tool({
  description: 'arktype.',
  input: type({ text: 'string' }),
  handler: ({ text }) => text.toUpperCase(),
});
`,
  'mcp/prompts/ask.ts': `import { prompt } from 'fwkit/mcp';
import * as z from 'zod';
export default prompt({
  input: z.object({ text: z.string().describe('What to ask') }),
  handler: ({ text }) => [{ role: 'user', content: text.trim() }],
});
`,
  'mcp/prompts/count.ts': `import { prompt } from 'fwkit/mcp';
import * as z from 'zod';
export default prompt({
  input: z.object({ count: z.coerce.number().int(), kind: z.enum(['a', 'b']).optional(), any: z.unknown().optional() }),
  handler: ({ count }) => 'x'.repeat(count),
});
`,
  'mcp/tools/nothing.ts': `import { tool } from 'fwkit/mcp';
export default tool({
  handler: (_input, ctx, call) => {
    ctx.logger.info(String(call.signal.aborted));
    return 'nothing';
  },
});
`,
};

const wrongTool = (text: string) => `import { tool } from 'fwkit/mcp';\n${text}\n`;

const wrong: Files = {
  'mcp/tools/unknown-property.ts': wrongTool(
    `export default tool({ input: { type: 'object', properties: { a: { type: 'string' } } }, handler: ({ b }) => b }); //! TS2339`,
  ),
  'mcp/tools/optional-property.ts': wrongTool(
    `export default tool({ input: { type: 'object', properties: { a: { type: 'string' } } }, handler: ({ a }) => a.length }); //! TS18048`,
  ),
  'mcp/tools/wrong-result.ts': wrongTool(
    `export default tool({ output: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }, handler: () => ({ n: 'one' }) }); //! TS2322`,
  ),
  'mcp/tools/no-arguments.ts': wrongTool(`export default tool({ handler: ({ a }) => a.length }); //! TS2339`),
  'mcp/tools/unknown-key.ts': wrongTool(
    `export default tool({ handler: (_input, ctx) => ctx.unknown }); //! TS2339`,
  ),
};

function withLibraries(files: Files): Project {
  const made = project(files);
  linkLibraries(made);
  return made;
}

const test = suite('schemas');

test('types follow the schema, and wrong uses do not compile', async () => {
  const made = withLibraries({ ...right, ...wrong });
  await fwk(made, 'types');
  assert.equal(compared(made, await tsc(made), wrong), { missing: [], surplus: [] });
});

test('schemas of every library are published, checked and transformed', async () => {
  const server = await dev(withLibraries(right));
  try {
    const session = await begin(server.url);
    const { result } = (await post(server.url, rpc('tools/list'), session)).json as {
      result: { tools: { name: string; inputSchema: { type: string; properties?: object } }[] };
    };
    const published = Object.fromEntries(result.tools.map(({ name, inputSchema }) => [name, inputSchema]));
    for (const name of ['zod', 'valibot', 'arktype'])
      assert.equal(
        [published[name]?.type, 'text' in (published[name]?.properties ?? {})],
        ['object', true],
        name,
      );
    assert.equal(published.nothing, { type: 'object', additionalProperties: false });

    const ask = (name: string, args: object) => call(server.url, name, args, session);
    assert.is(await ask('zod', { text: 'ab' }), '{"text":"abab"}');
    assert.is(await ask('valibot', { text: 'ab' }), 'AB');
    assert.is(await ask('arktype', { text: 'ab' }), 'AB');
    assert.is(await ask('json', { a: 'abc', b: 2, c: 'x', d: [1, 2] }), '{"sum":9}');
    assert.is(await ask('nothing', {}), 'nothing');
    const text = { type: 'string', format: 'date-time' };
    assert.equal(published.days, { ...published.days, properties: { day: text } });
    assert.is(await ask('days', { day: '2026-01-31T00:00:00.000Z' }), '{"after":"2026-02-01T00:00:00.000Z"}');
    const structure = async (name: string) => {
      const { json } = await post(server.url, rpc('tools/call', { name, arguments: {} }), session);
      return (json as { result: { structuredContent: unknown } }).result.structuredContent;
    };
    assert.equal(await structure('named'), { id: 1, next: { id: 2, next: null } });
    assert.equal(await structure('either'), { b: 'x' });
    assert.equal(await structure('list'), { result: [1] }, 'clients of the time before take objects alone');
    for (const name of ['zod', 'valibot', 'arktype'])
      assert.match(await ask(name, { text: 7 }), /arguments of \w+ are invalid\. text/);
    assert.match(await ask('json', { a: 'abc', b: 1.5 }), /invalid.*b.*integer/);
    const counted = await post(
      server.url,
      rpc('prompts/get', { name: 'count', arguments: { count: '3' } }),
      session,
    );
    assert.match(counted.text, /"text":"xxx"/);
  } finally {
    await server.stop();
  }
});

test.run();
