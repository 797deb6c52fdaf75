import type { Generation } from '../../kernel/index.js';

export function guidance({ project }: Generation): string {
  const { language, entries } = project;
  if (!entries.some(({ file }) => file.startsWith('mcp/'))) return '';
  return `## MCP

\`mcp/resources/notes/[id].${language}\`: \`resource({ description, handler: ({ id }, ctx) => … ?? null })\` at \`notes://{id}\`. \`tool: true\` in a route's definition makes it a tool. \`view: 'note'\` on a tool shows \`views/note.eta\`. Skills: \`mcp/skills/<name>/SKILL.md\`. Workers need \`mcp: { sessions: false }\`.

\`\`\`${language}
// ${project.display(`mcp/tools/find-notes.${language}`)}: findNotes; import { tool } from 'fwkit/mcp'
export default tool({
  description: 'Finds notes by a word.',
  input: z.object({ word: z.string() }),
  handler: async ({ word }, ctx) => ctx.notes.search(word), // throw error(404, '…') reaches the model
});
\`\`\`
`;
}
