import type { Files } from '../../harness/project.js';

/** A project with one tool, resource and prompt of each kind. */
export const notes: Files = {
  'services/notes.ts': `import { service } from 'fwkit';
export default service(() => {
  const notes = new Map([['1', 'buy milk'], ['2', 'read Middlemarch']]);
  return {
    ids: () => [...notes.keys()],
    get: (id: string) => notes.get(id),
    set: (id: string, text: string) => void notes.set(id, text),
  };
});`,
  'di/caller.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'request', value: (_ctx, { req }) => ({ over: req ? 'http' : 'stdio' }) });`,
  'mcp/tools/notes/search.ts': `import { tool } from 'fwkit/mcp';
export default tool({
  title: 'Search notes',
  description: 'Finds notes by a word.\\nMore of it.',
  input: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  output: { type: 'object', properties: { ids: { type: 'array', items: { type: 'string' } } }, required: ['ids'] },
  annotations: { readOnlyHint: true },
  icons: [{ src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'] }],
  handler: ({ word }, ctx) => ({ ids: ctx.notes.ids().filter((id) => ctx.notes.get(id)?.includes(word)) }),
});`,
  'mcp/tools/where.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Tells what it is asked over.', handler: (_input, ctx) => ctx.caller.over });`,
  'mcp/tools/write.ts': `import { tool } from 'fwkit/mcp';
export default tool({
  description: 'Writes a note.',
  input: { type: 'object', properties: { id: { type: 'string' }, text: { type: 'string' } }, required: ['id', 'text'] },
  handler: ({ id, text }, ctx, call) => {
    ctx.notes.set(id, text);
    call.notify('notes://' + id);
  },
});`,
  'mcp/tools/fail.ts': `import { error } from 'fwkit';
import { tool } from 'fwkit/mcp';
export default tool({
  description: 'Fails, on purpose or not.',
  input: { type: 'object', properties: { purpose: { type: 'boolean' } } },
  handler: ({ purpose }) => {
    if (purpose) throw error(404, 'No such note');
    throw new Error('the secret reason');
  },
});`,
  'mcp/tools/name.ts': `import { tool } from 'fwkit/mcp';
export default tool({
  description: 'Asks for a name.',
  handler: async (_input, _ctx, call) => {
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const { action, content } = await call.ask('elicitation/create', { message: 'Your name?', requestedSchema });
    return action === 'accept' ? \`Hello, \${content?.name}!\` : 'Hello, stranger!';
  },
});`,
  'mcp/tools/summary.ts': `import { tool } from 'fwkit/mcp';
export default tool({
  description: 'Asks the model.',
  handler: async (_input, _ctx, call) => {
    const messages = [{ role: 'user', content: { type: 'text', text: 'Sum up.' } }];
    const { content } = await call.ask('sampling/createMessage', { messages, maxTokens: 10 });
    return JSON.stringify(content);
  },
});`,
  'mcp/tools/slow.ts': `import { tool } from 'fwkit/mcp';
export default tool({
  description: 'Counts, tells how far it is, and stops when it is told to.',
  handler: async (_input, ctx, call) => {
    await call.log('info', 'begun');
    await call.progress(1, 2, 'half');
    await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
    ctx.logger.info('the tool was stopped');
  },
});`,
  'mcp/resources/notes/[id].ts': `import { resource } from 'fwkit/mcp';
export default resource({
  description: 'One note.',
  mimeType: 'text/plain',
  complete: { id: (prefix, ctx) => ctx.notes.ids().filter((id) => id.startsWith(prefix)) },
  list: (ctx) => ctx.notes.ids().map((id) => ({ uri: 'notes://' + id, name: 'Note ' + id })),
  handler: ({ id }, ctx) => ctx.notes.get(id ?? ''),
});`,
  'mcp/resources/config/app.ts': `import { resource } from 'fwkit/mcp';
export default resource({ description: 'How the app is set up.', handler: (_variables, _ctx, call) => ({ uri: call.uri }) });`,
  'mcp/prompts/summarize.ts': `import { prompt } from 'fwkit/mcp';
export default prompt({
  description: 'Sums up a note.',
  input: {
    type: 'object',
    properties: { id: { type: 'string' }, tone: { type: 'string', enum: ['dry', 'warm'] } },
    required: ['id'],
  },
  handler: ({ id, tone }, ctx) => \`Sum up, \${tone ?? 'dry'}: \${ctx.notes.get(id)}\`,
});`,
};
