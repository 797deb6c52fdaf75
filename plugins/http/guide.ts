import type { Generation } from '../../kernel/index.js';

/** Guidance for coding assistants: every HTTP route. */
export function guidance({ project: { language }, plugins }: Generation): string {
  const path = plugins.has('api') ? '/api/users/:id' : '/users/:id';
  const typed = language === 'ts' && plugins.has('typegen') ? types(path) : '';
  return `## HTTP routes

One file per method and URL. The path below the convention directory is the URL; nothing is registered anywhere.

| File | Serves, below the directory's mount |
|---|---|
| \`users.get.${language}\` or \`users/get.${language}\` | \`GET /users\` |
| \`users/[id].del.${language}\` | \`DELETE /users/:id\`; the value is \`req.params.id\` |
| \`users/[userId]/books/[bookId].get.${language}\` | \`GET /users/:userId/books/:bookId\` |
| \`docs/[...path].get.${language}\` | \`GET /docs/*path\`: one or more segments, last only |
| \`(admin)/stats.get.${language}\`, \`stats/index.get.${language}\` | \`GET /stats\`: neither adds a segment |

- The default export is a handler in a wrapper: \`get post put patch del head options all\` (\`del\`, not \`delete\`). The
  suffix in the file name must be the wrapper's name, or be left out.
- Brackets stand for a whole segment. A literal segment beats \`[id]\`, so \`users/me.get.${language}\` wins over \`users/[id].get.${language}\`.
  Two files for one method and URL refuse to boot.
- Handler: \`(req, res, ctx) => result\`, \`async\` where it waits. It returns the response.
- \`req\`: \`method path url query params body headers header(name) cookies ip id route signal\`. \`params\` and \`query\` are
  strings: convert them. \`query\` has the first value of a key, \`req.url.searchParams.getAll(key)\` all.
  \`body\` comes from outside: check it. Schemas (zod …) do both: \`post({ params, query, body, response }, handler)\`.
- \`res\`: \`status(n) header(name, value) type(name) cookie(name, value, options) clearCookie(name) redirect(url)\`.
- Errors: \`throw error(404, { message: 'No such user' })\`. Whatever else is thrown is logged and answered as 500.
- Metadata for middlewares: \`export default get(handler).meta({ adminOnly: true })\`, read as \`req.route.meta.adminOnly\`.
${typed}
Common mistakes: \`export default async (req) => …\` without a wrapper; \`users.post.${language}\`
exporting \`get(…)\`; \`:id\` instead of \`[id]\` in a file name; using \`req.params.id\` as a number; Express habits such as
\`res.status(404).json(…)\`, \`app.use\` and \`next(err)\`.
`;
}

const types = (
  path: string,
): string => `- Types: \`(req: HttpRequest<'${path}'>, res, ctx) =>\` types \`req.params\` (write the path as \`fwk routes\` prints
  it); \`HttpRequest<never, unknown>\` types the body, to be narrowed. \`import { type HttpRequest, get } from 'fwkit'\`.
- Metadata keys are declared once, in any file with an import or export:
  \`declare module 'fwkit' { interface RouteMeta { adminOnly?: boolean } }\`.
`;
