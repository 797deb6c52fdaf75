import type { Brief } from '../../contributions/index.js';
import type { Generation } from '../../kernel/index.js';

/** Guidance for coding assistants: every HTTP route. */
export function guidance({ project: { language }, plugins }: Generation): string {
  const path = plugins.has('api') ? '/api/users/:id' : '/users/:id';
  const typed = language === 'ts' && plugins.has('typegen') ? types(path) : '';
  return `## HTTP routes

One file per method and URL. The path below the convention directory is the URL.

| File | Serves, below the directory's mount |
|---|---|
| \`users.get.${language}\` or \`users/get.${language}\` | \`GET /users\` |
| \`users/[id].del.${language}\` | \`DELETE /users/:id\`; the value is \`req.params.id\` |
| \`docs/[...path].get.${language}\` | \`GET /docs/*path\`: one or more segments, last only |
| \`(admin)/stats.get.${language}\`, \`stats/index.get.${language}\` | \`GET /stats\`: neither adds a segment |

- The default export is a handler in a wrapper: \`get post put patch del head options all\`. The file name's suffix is the
  wrapper's name, or left out.
- Brackets stand for a whole segment. A literal segment beats \`[id]\`, so \`users/me.get.${language}\` wins over \`users/[id].get.${language}\`.
  Two files for one method and URL refuse to boot.
- Handler: \`(req, res, ctx) => result\`, async or not. It returns the response.
- \`req\`: \`method path url query params body headers header(name) cookies ip id route signal\`. Without schemas, \`params\`
  and \`query\` are strings (\`query\` has the first value of a key), and \`body\` is unchecked.
- Schemas (zod 4, valibot 1, arktype 2) check and type input, as the numbers they ask for; what does not fit is answered with 422:
  \`post({ params, query, headers, body, response: { 201: Saved }, errors: { 409: Taken } }, handler)\`. \`response\` is what is sent.
- \`res\`: \`status(n) header(name, value) type(name) cookie(name, value, options) clearCookie(name) redirect(url)\`.
- Errors: throw or return \`error(404, { message: 'No such user' })\`. Whatever else is thrown is logged and answered as 500.
- Metadata for middlewares: \`export default get(handler).meta({ adminOnly: true })\`, read as \`req.route.meta.adminOnly\`.
- Callers: \`createClient(url)('${path}').get({ params: { id: 1 } })\` of \`fwkit/client\` gives \`{ ok, status, data }\` or
  \`{ ok, status, error }\`${typed === '' ? '' : ', typed from the routes'}.
${typed}
Common mistakes: \`export default async (req) => …\` without a wrapper; \`users.post.${language}\`
exporting \`get(…)\`; \`:id\` instead of \`[id]\` in a file name; \`req.params.id\` as a number without a schema; Express habits:
\`res.status(404).json(…)\`, \`app.use\`, \`next(err)\`.
`;
}

const types = (
  path: string,
): string => `- Types without schemas: \`(req: HttpRequest<'${path}'>, res, ctx) =>\` types \`req.params\`. \`import { type HttpRequest, get } from 'fwkit'\`.
- Metadata keys are declared once, in any file with an import or export:
  \`declare module 'fwkit' { interface RouteMeta { adminOnly?: boolean } }\`.
`;

/** Routes, schemas and bodies in a few lines. */
export function brief({ project }: Generation): Brief {
  const { language } = project;
  const file = (name: string) => project.display(`api/${name}.${language}`);
  const typed = language === 'ts' ? ': HttpRequest<never, AsyncIterable<Part>>' : '';
  return {
    examples: [
      `// ${file('books/[id].post')}: what does not fit is 422. req: method path query headers header(name) cookies ip id signal url
export default post(
  { params: z.object({ id: z.number() }), body: z.object({ text: z.string().min(1) }) },
  async ({ params, body }, res, ctx) => {
    const book = await ctx.books.find(params.id);
    if (!book) throw error(404, { message: 'No such book' }); // exactly this JSON; else thrown: 500
    res.status(201).header('x-a', 'b');
    return ctx.books.review(book, body.text); // JSON; undefined: 204; null of GET: 404; bytes, streams, Responses too
  },
).meta({ timeout: 2_000, bodyLimit: 3_000_000 }); // ms, bytes`,
      `// ${file('export.get')}: a stream, no faster than the client reads
export default get(async function* (req, res, ctx) {
  res.type('text/csv');
  for await (const line of ctx.books.lines()) yield \`\${line}\\n\`;
});`,
      `// ${file('pictures.post')}: an upload of any size (without body: 'stream', a File in req.body, up to bodyLimit, 1 MB)
export default post(async (req${typed}, res) => {
  for await (const part of req.body) {
    if (!('stream' in part) || part.name !== 'picture') continue; // part.filename is the client's word: never a path
    await pipeline(part.stream, createWriteStream(join('uploads', randomUUID())));
    res.status(201);
    return { saved: true };
  }
  throw error(400, { message: 'picture is required' });
}).meta({ body: 'stream' });`,
    ],
    mistakes: [
      'a default export without a wrapper (`get post put patch del head options all`); `:id` in a file name (it is `[id]`); `res.status(404).json(…)`, `next(err)` (throw `error(404, …)`)',
      '`z.coerce` for params (`z.number()` gets a number)',
      "a signature of `req.body`, parsed (raw: `.meta({ body: 'stream' })`, `await buffer(req.body)`)",
    ],
  };
}
