import type { Generation } from '../../kernel/index.js';

/** Guidance for coding assistants: routes, input, errors and uploads. */
export function guidance({ project, plugins }: Generation): string {
  const { language } = project;
  const file = (name: string) => project.display(`${name}.${language}`);
  const folder = plugins.has('api') ? 'api' : 'web';
  const urls = [
    ...(plugins.has('api') ? [`\`${file('api/users/[id].get')}\` is \`GET /api/users/:id\``] : []),
    ...(plugins.has('web')
      ? [`\`web/about.get.${language}\` is \`GET /about\``, `\`web/get.${language}\` is \`GET /\``]
      : []),
  ];
  if (urls.length === 0) return '';
  const typed = language === 'ts' ? ': HttpRequest<never, AsyncIterable<Part>>' : '';
  return `## HTTP routes

- ${urls.join(', ')}. Wrappers and suffixes: \`get post put patch del head options all\`. \`[...path]\` is the rest of the URL; \`(group)/\` and \`index\` add no segment.
- Return JSON, \`undefined\` (204), \`null\` (404 for GET), text after \`res.type('html')\`, bytes, streams, generators or \`Response\`.
- \`req\`: \`method url route params query headers header(name) cookies body ip id signal\`. \`res\`: \`status(n) header(k, v) type(t) cookie(k, v) redirect('/x', 303)\`.
- \`throw error(404, { message: '…' })\` sends this JSON; fwk's own errors are \`application/problem+json\`.
- Raw body for signatures: \`await buffer(req.body)\` with \`.meta({ body: 'stream', bodyLimit: 65_536 })\`.

\`\`\`${language}
// ${file(`${folder}/books/[id].post`)}: invalid input gets 422 { message, errors: [{ in: 'body', path: ['text'], message }] }
export default post(
  { params: z.object({ id: z.number() }), body: z.object({ text: z.string().min(1) }) },
  async ({ params, body }, res, ctx) => {
    const book = await ctx.books.find(params.id);
    if (!book) throw error(404, { message: 'No such book' });
    return { title: book.title, text: body.text };
  },
);

// ${file(`${folder}/pictures.post`)}: without body: 'stream', req.body has Files, up to 1 MiB
export default post(async (req${typed}) => {
  await mkdir('uploads', { recursive: true });
  for await (const part of req.body) {
    if (!('stream' in part)) continue;
    const id = randomUUID(); // never part.filename
    const to = createWriteStream(\`uploads/\${id}\`);
    await pipeline(part.stream, to).catch((cause) => rm(to.path, { force: true }).then(() => Promise.reject(cause)));
    return { id };
  }
  throw error(400, 'A file is required');
}).meta({ body: 'stream', bodyLimit: 100_000_000 });
\`\`\`
`;
}
