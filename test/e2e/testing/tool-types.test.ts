import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { type Files, project } from '../../harness/project.js';
import { sampled } from '../../harness/sample.js';
import { compared, compilers, tsc, unreported } from '../../harness/tsc.js';

// The types of `app.mcp.callTool` for the project's tools, and calls that do not compile. `types.test.ts` has a project
// without tools.

const tools: Files = {
  'mcp/tools/notes/search.ts': `import { tool } from 'fwkit/mcp';
import { z } from 'zod';
export default tool({
  input: z.object({ word: z.string(), limit: z.number().default(5) }),
  output: z.object({ notes: z.array(z.object({ text: z.string(), at: z.string().nullable() })) }),
  handler: ({ word, limit }) => ({ notes: [{ text: word.repeat(limit), at: null }] }),
});
`,
  'mcp/tools/add-tax.ts': `import { tool } from 'fwkit/mcp';
export default tool({
  description: 'The price with tax.',
  input: { type: 'object', properties: { net: { type: 'number' }, country: { enum: ['fr', 'de'] } }, required: ['net'] },
  output: { type: 'object', properties: { gross: { type: 'number' } }, required: ['gross'] },
  handler: ({ net, country }) => ({ gross: country === 'fr' ? net * 1.2 : net * 1.19 }),
});
`,
  'mcp/tools/list.ts': `import { tool } from 'fwkit/mcp';
import * as v from 'valibot';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
export default tool({ output: toStandardJsonSchema(v.array(v.string())), handler: () => ['a'] });
`,
  'mcp/tools/optional.ts': `import { tool } from 'fwkit/mcp';
import { z } from 'zod';
export default tool({ input: z.object({ page: z.number().optional() }), handler: ({ page = 1 }) => String(page) });
`,
  'mcp/tools/old-path.ts': `import { tool } from 'fwkit/mcp';
export default tool({ name: 'renamed', handler: () => 'as ever' });
`,
  'mcp/tools/made.ts': `import { tool } from 'fwkit/mcp';
export default tool({ name: String(Math.random()), handler: () => 'any' });
`,
  'api/notes/[id].post.ts': `import { post } from 'fwkit';
import { z } from 'zod';
export default post({ body: z.object({ text: z.string() }), tool: true }, ({ body }) => body.text);
`,
  'api/open-hours/index.ts': `import { get } from 'fwkit';
export default get({ tool: { name: 'hours' } }, () => '9 to 5');
`,
};

const right = `import type { TestApp, TestToolResult } from 'fwkit/testing';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <_ extends true>(): void => {};
type Untyped = Readonly<Record<string, unknown>> | undefined;

export async function use({ mcp }: TestApp, anyName: string): Promise<void> {
  const found = await mcp.callTool('notesSearch', { word: 'tea' }, { headers: { authorization: 'Bearer x' } });
  is<Same<typeof found.structuredContent, { notes: { text: string; at: string | null }[] } | undefined>>();
  is<Same<typeof found.text, string>>();
  await mcp.callTool('notesSearch', { word: 'tea', limit: 2 });
  const { structuredContent: price } = await mcp.callTool('addTax', { net: 1, country: 'fr' });
  is<Same<typeof price, { readonly gross: number } | undefined>>();
  const { structuredContent: list } = await mcp.callTool('list');
  is<Same<typeof list, { readonly result: string[] } | undefined>>();
  await mcp.callTool('list', {}, { headers: {} });
  const optional = await mcp.callTool('optional');
  is<Same<typeof optional.structuredContent, Untyped>>();
  await mcp.callTool('optional', { page: 2 });
  is<Same<Awaited<ReturnType<typeof renamed>>, TestToolResult>>();
  async function renamed() {
    return mcp.callTool('renamed');
  }
  // Tools that are routes: the types know only their paths.
  const written = await mcp.callTool('postNotesId', { id: '1', text: 'a' });
  is<Same<typeof written.structuredContent, Untyped>>();
  await mcp.callTool('getOpenHours');
  // Names computed at runtime, and deliberate mistakes.
  await mcp.callTool(anyName, { a: 1 });
  const wrong = await mcp.callTool<string>('addTax', { net: 'much' });
  is<Same<typeof wrong.structuredContent, Untyped>>();
  await mcp.callTool<string>('hours');
}
`;

const wrong: Files = {
  'wrong.ts': `import type { TestApp } from 'fwkit/testing';

export async function use({ mcp }: TestApp): Promise<void> {
  await mcp.callTool('notesSearch'); //! TS2554 // Expected 2-3 arguments, but got 1
  await mcp.callTool('notesSearch', { words: 'tea' }); //! TS2353 TS2561 // 'words' does not exist in type
  await mcp.callTool('notesSearch', { word: 7 }); //! TS2322 // Type 'number' is not assignable to type 'string'
  await mcp.callTool('addTax', { net: 1, country: 'uk' }); //! TS2322 // Type '"uk"' is not assignable to type '
  await mcp.callTool('list', { page: 1 }); //! TS2322 // Type 'number' is not assignable to type 'never'
  await mcp.callTool('optional', { page: '1' }); //! TS2322 // Type 'string' is not assignable to type 'number'
  await mcp.callTool('list', {}, { header: {} }); //! TS2353 TS2561 // 'header' does not exist in type 'TestMcpOptions'
  const { structuredContent } = await mcp.callTool('addTax', { net: 1 });
  structuredContent?.grss; //! TS2551 TS2339 // Property 'grss' does not exist on type
  await mcp.callTool({ name: 'list' }); //! TS2345
}
`,
};

const made = project({ ...tools, ...wrong, 'use.ts': right });
linkLibraries(made);

for (const [version, compiler] of sampled(Object.entries(compilers))) {
  const test = suite(`TypeScript ${version}`);

  test('tools are called by name, with their arguments, for their result', async () => {
    assert.is((await fwk(made, 'types')).status, 0);
    const diagnostics = await tsc(made, compiler());
    assert.equal(
      compared(made, diagnostics, wrong),
      { missing: [], surplus: [] },
      JSON.stringify(diagnostics, null, 1),
    );
    assert.equal(unreported(diagnostics, wrong), []);
  });

  test.run();
}
