import * as assert from 'uvu/assert';
import { begin, post, rpc } from '../../harness/rpc.js';
import type { Task } from '../task.js';

interface Result {
  readonly result?: {
    readonly tools?: readonly {
      readonly name: string;
      readonly inputSchema: { readonly required?: readonly string[] };
    }[];
    readonly structuredContent?: unknown;
    readonly isError?: boolean;
    readonly content?: readonly { readonly text: string }[];
    readonly contents?: readonly { readonly text: string }[];
  };
}

export const mcpTool: Task = {
  ask: `Assistants can use the notes over MCP: the tool "findNotes" with one argument "word" (a text that is not empty) finds notes by a word in
their text, and gives the structured content {"notes": [...]}. The resource notes://1 is the note with the id 1 as JSON, notes://2 that with 2, and so on.`,
  solution: {
    'mcp/tools/find-notes.ts': `import { tool } from 'fwkit/mcp';
import { z } from 'zod';

const Note = z.object({ id: z.number(), text: z.string(), by: z.string() });

export default tool({
  description: 'Finds notes by a word in their text.',
  input: z.object({ word: z.string().min(1) }),
  output: z.object({ notes: z.array(Note) }),
  handler: ({ word }, ctx) => ({ notes: [...ctx.notes.search(word)] }),
});
`,
    'mcp/resources/notes/[id].ts': `import { resource } from 'fwkit/mcp';

export default resource({
  description: 'One note.',
  mimeType: 'application/json',
  handler: ({ id }, ctx) => ctx.notes.find(Number(id)) ?? null,
});
`,
  },
  async check({ url }) {
    const session = await begin(url);
    const ask = async (method: string, params: object) =>
      ((await post(url, rpc(method, params), session)).json as Result).result;
    const tool = (await ask('tools/list', {}))?.tools?.find(({ name }) => name === 'findNotes');
    assert.equal(tool?.inputSchema.required, ['word']);
    const found = await ask('tools/call', { name: 'findNotes', arguments: { word: 'tea' } });
    assert.equal(found?.structuredContent, { notes: [{ id: 1, text: 'Buy tea', by: 'ada' }] });
    const refused = await post(
      url,
      rpc('tools/call', { name: 'findNotes', arguments: { word: '' } }),
      session,
    );
    assert.match(refused.text, /"isError":true|"error":/);
    const read = await ask('resources/read', { uri: 'notes://2' });
    assert.equal(JSON.parse(read?.contents?.[0]?.text ?? ''), { id: 2, text: 'Read <Emma>', by: 'bob' });
  },
};
