import type { Generation } from '../../kernel/index.js';

export function guidance({ project, plugins }: Generation): string {
  const { language } = project;
  if (!plugins.has('web')) return '';
  return `## Pages and forms

\`return view('notes', { notes })\` renders \`views/notes.eta\`: \`<%= it.x %>\` escapes, \`<%~ it.x %>\` doesn't: never use it for data. End a POST with \`res.redirect('/notes', 303)\`.

\`\`\`${language}
// ${project.display(`web/notes/post.${language}`)}: a 422 shows the page of GET /notes again: value="<%= it.form.values.text ?? '' %>"
export default post({ body: z.object({ text: z.string().min(1) }) }, ({ body }, res, ctx) => {
  ctx.notes.add(body.text);
  res.redirect('/notes', 303);
}).meta({ form: true });
\`\`\`

\`it.form.errors.text\` is the message. For the next page: \`ctx.flash.push('Saved.')\` with the session value \`di/flash\`, a list, and \`it.flash\` in the template.
`;
}
