import { emitModule } from 'fwkit/plugin';

/** A first procedure. */
export function starter(generation) {
  emitModule(
    generation,
    'rpc/sum',
    (typescript) => `import { procedure } from 'fwk-rpc';

// POST /rpc/sum, and ctx.rpc('sum', [1, 2]) on the server
export default procedure(async (input${typescript ? ': unknown' : ''}) => {
  const numbers${typescript ? ': unknown[]' : ''} = Array.isArray(input) ? input : [];
  return numbers.map(Number).reduce((sum, number) => sum + number, 0);
});
`,
  );
}

/** Guidance for coding assistants: procedures. */
export function guidance({ project }) {
  const file = project.display(`rpc/users/rename.${project.language}`);
  return `## Procedures: \`${project.display('rpc')}/\`

\`${file}\` is \`POST /rpc/users/rename\` with the input as JSON, and \`await ctx.rpc('users/rename', input, ctx)\` on the server.

\`\`\`${project.language}
// ${file}: import { procedure } from 'fwk-rpc'
export default procedure(z.object({ id: z.string(), name: z.string().min(1) }), async ({ id, name }, ctx) => {
  if (!(await ctx.users.rename(id, name))) throw error(404, 'No such user');
  return { id, name };
});
\`\`\`
`;
}
