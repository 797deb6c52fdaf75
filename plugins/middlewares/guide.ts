import { type Brief, emitDirectory } from '../../contributions/index.js';
import type { Generation } from '../../kernel/index.js';

/** The directory; a project may do without a middleware. */
export function starter(generation: Generation): void {
  emitDirectory(generation, 'middlewares');
}

/** Guidance for coding assistants: middlewares and guards. */
export function guidance({ project, plugins }: Generation): string {
  const { language } = project;
  const [reads, condition] = plugins.has('context')
    ? [', with the `ctx.visitor` from above', 'ctx.visitor.isAdmin']
    : ['', 'isAdmin(req)'];
  const imported = plugins.has('context') ? '' : "import { isAdmin } from '../lib/admin.js';\n";
  const declared =
    language === 'ts'
      ? "declare module 'fwkit' {\n  interface RouteMeta {\n    adminOnly?: boolean;\n  }\n}\n\n"
      : '';
  return `## Middlewares and guards

- \`${project.display('middlewares')}/*.${language}\` run around every request, except for files of \`public/\`, in natural order of the
  names: \`1.trace\`, \`2.auth\`, \`10.audit\`; 404, 405, OPTIONS and refused bodies too, so CORS, a log or one form of errors (\`isHttpError(thrown)\`) is one file.
- \`_middleware.${language}\` in a directory of routes runs around what is below it, inside the global ones.
- The body is read after them: a middleware that needs it awaits \`req.readBody()\`.
- \`(req, res, ctx, next)\`: \`return next()\` to go on, throw to refuse. What it returns is the response, so a lost
  \`return\` loses the handler's result. Call \`next()\` once, without arguments.
- Decide by \`req.route.meta\`, never by comparing \`req.path\` or \`req.url\`: a route marks itself with \`.meta({ … })\`.

A guard for routes that say \`.meta({ adminOnly: true })\`${reads}:

\`\`\`${language}
// ${project.display(`middlewares/2.admin.${language}`)}
import { error, middleware } from 'fwkit';
${imported}
${declared}export default middleware((req, res, ctx, next) => {
  if (req.route.meta.adminOnly && !${condition}) throw error(403, { message: 'For admins only' });
  return next();
});
\`\`\`

The route says it too: \`export default get(handler).meta({ adminOnly: true })\`. To guard a whole directory instead, put
the middleware without the test of \`meta\` into its \`_middleware.${language}\`.

Common mistakes: \`next()\` without \`return\`; guarding by URL, which other spellings of it pass by; a check in every
handler where one middleware would do.
`;
}

/** Middlewares and guards in a few lines. */
export function brief({ project }: Generation): Brief {
  const { language } = project;
  return {
    files: [
      [
        project.display(`middlewares/1.trace.${language}`),
        'runs around every answer, 404, 405 and errors too, but for `public/`; natural order of names',
      ],
      [
        `_middleware.${language}`,
        'in a directory of routes: around all below it, URLs that nothing answers too: a guard',
      ],
    ],
    examples: [
      `// ${project.display(`api/admin/_middleware.${language}`)}: a guard
export default middleware((req, res, ctx, next) => {
  if (!ctx.user?.isAdmin) throw error(401, { message: 'For admins only' });
  return next();
});`,
      `// ${project.display(`middlewares/2.errors.${language}`)}: errors of your own, for all routes
export default middleware(async (req, res, ctx, next) => {
  try { return await next(); } catch (thrown) { throw thrown instanceof Taken ? error(409, { message: thrown.message }) : thrown; }
});`,
    ],
    mistakes: [
      '`next()` without `return`; a guard that compares `req.path` (use a directory, or `req.route.meta`)',
    ],
  };
}
