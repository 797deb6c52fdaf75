import { emitModule, type Generation } from '../../kernel/index.js';

/** A first endpoint. It leans on what is switched on: ctx, and types for it. */
export function starter(generation: Generation): void {
  const { plugins } = generation;
  emitModule(generation, 'api/hello/[name].get', (typescript) => {
    const typed = typescript && plugins.has('typegen');
    const greeter = plugins.has('context') && (typed || !typescript);
    const req = typed ? "req: HttpRequest<'/api/hello/:name'>" : 'req';
    const message = greeter ? 'ctx.greeter.greet(req.params.name)' : `\`Hello, \${req.params.name}!\``;
    return `import { ${typed ? 'type HttpRequest, ' : ''}get } from 'fwkit';

// GET /api/hello/:name
export default get((${greeter ? `${req}, _res, ctx` : req}) => {
  return { message: ${message} };
});
`;
  });
}

/** Guidance for coding assistants: endpoints. */
export function guidance({ project, plugins }: Generation): string {
  const { language } = project;
  const typed = language === 'ts' && plugins.has('typegen');
  const file = (name: string) => project.display(`api/${name}.${language}`);
  const hasContext = plugins.has('context');
  const users = hasContext ? 'ctx.users' : 'users';
  const parameters = hasContext ? 'res, ctx' : 'res';
  const imported = hasContext ? '' : "import { users } from '../../lib/users.js';\n";
  return `## Endpoints: \`${project.display('api')}/\`

Mounted at \`/api\`:

\`\`\`${language}
// ${file('users/[id].get')}: GET /api/users/:id
import { ${typed ? 'type HttpRequest, ' : ''}error, get } from 'fwkit';
${imported}
export default get(async (${typed ? "req: HttpRequest<'/api/users/:id'>" : 'req'}, ${parameters}) => {
  const user = await ${users}.find(req.params.id);
  if (!user) throw error(404, { message: 'No such user' });
  return user;
});
\`\`\`

\`\`\`${language}
// ${file('users/post')}: POST /api/users
import { error, post } from 'fwkit';
${imported}
export default post${language === 'ts' ? '<never, { name?: unknown } | undefined>' : ''}(async (req, ${parameters}) => {
  const name = req.body?.name;
  if (typeof name !== 'string' || name === '') throw error(400, { message: 'name is required' });
  res.status(201);
  return ${users}.add(name);
});
\`\`\`
`;
}
