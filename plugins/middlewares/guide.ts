import { emitDirectory } from '../../contributions/index.js';
import type { Generation } from '../../kernel/index.js';

export function starter(generation: Generation): void {
  emitDirectory(generation, 'middlewares');
}

export function guidance({ project, plugins }: Generation): string {
  const { language } = project;
  const declared =
    language === 'ts' ? "declare module 'fwkit' { interface RouteMeta { adminOnly?: boolean } }\n" : '';
  const isAdmin = plugins.has('session') ? 'ctx.user?.isAdmin' : 'ctx.visitor.isAdmin';
  return `## Middlewares

- \`${project.display(`middlewares/1.log.${language}`)}\` runs for every request except \`public/\`, even for a 404, in the order of names.
- \`_middleware.${language}\` in a route directory runs for every URL below it.
- \`return next()\`, or throw. Decide by directory or \`req.route.meta\`, never by URL.

\`\`\`${language}
// ${project.display(`middlewares/2.admin.${language}`)}: for routes with .meta({ adminOnly: true })
${declared}export default middleware((req, res, ctx, next) => {
  if (req.route.meta.adminOnly && !${isAdmin}) throw error(403, 'For admins only');
  return next();
});
\`\`\`
`;
}
