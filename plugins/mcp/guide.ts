import type { Brief } from '../../contributions/index.js';
import type { Generation } from '../../kernel/index.js';

/** Explains tools, resources and prompts to an assistant. */
export function guidance({ project, plugins }: Generation): string {
  const { language } = project;
  const has = plugins.has('context');
  const [users, ctx, also] = has ? ['ctx.users', ', ctx', ', ctx'] : ['users', '', ''];
  const imported = has ? '' : "import { users } from '../../../lib/users.js';\n";
  return `## MCP: \`${project.display('mcp')}/\`

Tools, resources and prompts for MCP clients, at \`/mcp\` and over \`npx fwk mcp --stdio\`. The path is the name:
\`tools/users/find.${language}\` is the tool \`usersFind\`, \`create-user.${language}\` is \`createUser\`, \`resources/notes/[id].${language}\` is \`notes://{id}\`,
\`prompts/summarize.${language}\` is \`summarize\`. \`npx fwk mcp\` prints all.

\`\`\`${language}
// ${project.display(`mcp/tools/users/find.${language}`)}
import { error } from 'fwkit';
import { tool } from 'fwkit/mcp';
${imported}
export default tool({
  description: 'Finds a user by its id.', // for the model: what it does, when to use it
  input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }, // or zod 4, valibot, arktype
  handler: async ({ id }${ctx}) => {
    const user = await ${users}.find(id);
    if (!user) throw error(404, 'No such user'); // the model gets this; anything else thrown is hidden
    return user; // text, an object or content blocks; \`output\`, a schema, makes it structured content
  },
});
\`\`\`

- \`resource({ description, mimeType, handler: ({ id }${also}) => … })\` returns a string, bytes or an object, and \`null\` where
  there is none. \`prompt({ description, input, handler })\` returns the user's message. Both take
  \`complete: { id: (prefix${also}) => [...] }\`.
- A route with schemas is a tool, too, by \`tool: true\` in its definition: \`notes/[id].post\` is \`postNotesId\`.
- The last argument, \`call\`, has \`signal progress log ask notify auth\`. What stands before \`await call.ask(…)\` may run twice.
- \`mcp/auth\`: \`export default auth({ verify: (token, ctx) => ({ subject, scopes }) })\` of 'fwkit/mcp' asks each client for a token; null is 401.
`;
}

/** Tools and resources in a few lines. */
export function brief({ project }: Generation): Brief {
  const { language } = project;
  const file = (name: string) => project.display(`mcp/${name}.${language}`);
  return {
    files: [
      [
        file('tools/find-notes'),
        `an MCP tool \`findNotes\` at \`/mcp\`; \`resources/notes/[id].${language}\` is \`notes://{id}\`; \`prompts/\`; \`auth.${language}\`: who may ask`,
      ],
    ],
    examples: [
      `// ${file('tools/find-notes')}: import { tool } from 'fwkit/mcp'
export default tool({
  description: 'Finds notes by a word.',
  input: z.object({ word: z.string() }),
  output: z.object({ notes: z.array(z.string()) }), // without it: text
  handler: async ({ word }, ctx) => ({ notes: await ctx.notes.search(word) }), // throw error(404, '…') tells the model
});
// resource({ description, mimeType, handler: ({ id }, ctx) => ctx.notes.find(id) ?? null }): id is a text
// a route as a tool: del({ description, params, response, tool: { name: 'deleteNote' } }, handler); tool: true names it by its path`,
    ],
  };
}
