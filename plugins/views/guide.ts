import type { Brief } from '../../contributions/index.js';
import type { Generation } from '../../kernel/index.js';

/** Guidance for coding assistants: views. */
export function guidance({ project: { language } }: Generation): string {
  return `## Views

\`return view('book', { title })\` renders \`views/book.eta\`, at the root of the project${language === 'ts' ? ', not in `src/`' : ''}. In it the data is \`it\`:
\`<h1><%= it.title %></h1>\` (escaped), \`<% it.books.forEach((book) => { %> … <% }) %>\`, \`<%~ include('./header') %>\`.
\`<%~ … %>\` does not escape: never for data. Import \`view\` from \`fwkit\` and return it; it renders nothing by itself.
`;
}

/** Templates in a few lines. */
export const brief = ({ project, project: { language } }: Generation): Brief => ({
  files: [['views/book.eta', 'a template, at the root: `<%= it.title %>` escapes, `<%~ %>` does not']],
  examples: [
    `// ${project.display(`web/notes.get.${language}`)}: a page; its form posts to web/notes.post.${language}, which ends with res.redirect('/notes', 303)
export default get((req, res, ctx) => view('notes', { notes: ctx.notes.all() }));
// views/notes.eta:  <% layout('./layout', { title: 'Notes' }) %> <% it.notes.forEach((note) => { %><li><%= note.text %></li><% }) %>
// views/layout.eta: <!doctype html><title><%= it.title %></title><body><%~ it.body %></body>`,
  ],
});
