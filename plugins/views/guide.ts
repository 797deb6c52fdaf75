import type { Generation } from '../../kernel/index.js';

/** Guidance for coding assistants: views. */
export function guidance({ project: { language } }: Generation): string {
  return `## Views

\`return view('book', { title })\` renders \`views/book.eta\`, at the root of the project${language === 'ts' ? ', not in `src/`' : ''}. In it the data is \`it\`:
\`<h1><%= it.title %></h1>\` (escaped), \`<% it.books.forEach((book) => { %> … <% }) %>\`, \`<%~ include('./header') %>\`.
\`<%~ … %>\` does not escape: never for data. Import \`view\` from \`fwkit\` and return it; it renders nothing by itself.
`;
}
