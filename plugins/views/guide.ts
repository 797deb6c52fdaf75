import type { Generation } from '../../kernel/index.js';

export function guidance({ project, plugins }: Generation): string {
  const { language } = project;
  const errors = language === 'ts' ? ' as { errors: InputIssue[] }' : '';
  if (!plugins.has('web')) return '';
  return `## Pages and forms

\`return view('notes', { notes })\` renders \`views/notes.eta\`: \`<%= it.x %>\` escapes; \`<%~ it.x %>\` doesn't, so never use it for data. End a POST with \`res.redirect('/notes', 303)\`.

\`\`\`${language}
// ${project.display(`web/notes/_middleware.${language}`)}: a 422 shows the form again: value="<%= it.old?.text ?? '' %>"
export default middleware(async (req, res, ctx, next) => {
  try {
    return await next();
  } catch (thrown) {
    if (!isHttpError(thrown) || thrown.status !== 422) throw thrown;
    res.status(422);
    const { errors } = thrown.body${errors};
    return view('notes', { notes: ctx.notes.all(), errors, old: await req.readBody() });
  }
});
\`\`\`
`;
}
