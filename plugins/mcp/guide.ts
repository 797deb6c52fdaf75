import { emitModule, type Generation } from '../../kernel/index.js';

/** A first tool. It needs no schema library. */
export function starter(generation: Generation): void {
  const { plugins } = generation;
  emitModule(generation, 'mcp/tools/greet', (typescript) => {
    const greeter = plugins.has('context') && (plugins.has('typegen') || !typescript);
    const message = greeter ? 'ctx.greeter.greet(name)' : `\`Hello, \${name}!\``;
    return `import { tool } from 'fwkit/mcp';

// The tool "greet" for MCP clients, over /mcp and \`npx fwk mcp --stdio\`.
export default tool({
  description: 'Greets somebody by name.',
  input: {
    type: 'object',
    properties: { name: { type: 'string', description: 'Whom to greet' } },
    required: ['name'],
  },
  handler: ({ name }${greeter ? ', ctx' : ''}) => ${message},
});
`;
  });
}

/** What an assistant has to know of tools, resources and prompts. */
export function guidance({ project }: Generation): string {
  const { language } = project;
  return `## MCP: \`${project.display('mcp')}/\`

Served at \`/mcp\` and by \`npx fwk mcp --stdio\`; \`npx fwk mcp\` prints all names. The path is the name:
\`tools/notes/search.${language}\` is the tool \`notesSearch\`, \`resources/notes/[id].${language}\` is \`notes://{id}\`,
\`prompts/summarize.${language}\` is \`summarize\`.

\`\`\`${language}
// ${project.display(`mcp/tools/notes/search.${language}`)}
import { tool } from 'fwkit/mcp';

export default tool({
  description: 'Finds notes by a word. Use it before reading one.', // for the model
  input: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] }, // or zod 4, valibot, arktype
  handler: ({ word }, ctx) => ctx.notes.search(word), // text, an object or content blocks
});
\`\`\`

- \`resource({ description, mimeType, complete: { id: (prefix, ctx) => [...] }, handler: ({ id }, ctx) => … })\`: a string,
  bytes or an object; \`null\` where there is none. \`prompt({ description, input, handler })\` returns the user's text.
- \`throw error(404, 'No such note')\` tells the model; anything else is hidden. \`output\` gives structured content.
- Third argument \`call\`: \`signal progress log ask notify(uri) auth\`. What stands before \`await call.ask(…)\` may run twice.
`;
}
