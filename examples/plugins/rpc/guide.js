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

/** What an assistant has to know of procedures. */
export function guidance({ project }) {
  const file = project.display(`rpc/users/rename.${project.language}`);
  return `## Procedures: \`${project.display('rpc')}/\`

Each file is one function, called by its path: \`${file}\` is \`POST /rpc/users/rename\` with the input as JSON.

\`\`\`${project.language}
// ${file}
import { error } from 'fwkit';
import { procedure } from 'fwk-rpc';
import { z } from 'zod'; // any Standard Schema

export default procedure(z.object({ id: z.string(), name: z.string().min(1) }), async ({ id, name }, ctx) => {
  if (!(await ctx.users.rename(id, name))) throw error(404, 'No such user');
  return { id, name };
});
\`\`\`

- Without a schema, \`procedure(async (input, ctx) => …)\`, the input is unchecked: check every property.
- On the server: \`await ctx.rpc('users/rename', { id, name }, ctx)\`. Without \`ctx\` at the end it runs in a scope of its own.
- A path has no parameters. Errors are problem documents: 415, 422 for a wrong input, and what \`error()\` throws.
`;
}
