import { configFile } from '../../harness/source.js';

const tool = (more: string) => `import { error } from 'fwkit';
import { tool } from 'fwkit/mcp';
import { z } from 'zod';
export default tool({ ${more} });`;

/** A project with pages for tools. */
export const pages = {
  'fwk.config.ts': configFile(`{ csrf: { when: 'always' } }`),
  'services/books.ts': `import { service } from 'fwkit';
export default service(() => {
  const books = [
    { id: '1', title: 'Emma', stars: [5] },
    { id: '2', title: 'Dracula & Co', stars: [3] },
  ];
  return { all: () => books, find: (id) => books.find((one) => one.id === id), calls: { count: 0 } };
});`,
  'mcp/tools/book-show.ts': tool(`
  description: 'Shows a book.',
  input: z.object({ id: z.string() }),
  output: z.object({ id: z.string(), title: z.string(), stars: z.array(z.number()) }),
  annotations: { readOnlyHint: true },
  view: 'book',
  handler: ({ id }, ctx) => ctx.books.find(id) ?? Promise.reject(error(404, 'There is no such book')),`),
  'api/books/[id].post.ts': `import { error, post } from 'fwkit';
import { z } from 'zod';
export default post(
  {
    description: 'Rates a book.',
    params: z.object({ id: z.string() }),
    body: z.object({ stars: z.number() }),
    response: z.object({ count: z.number() }),
    tool: { name: 'bookRate' },
  },
  ({ params, body }, _res, ctx) => {
    const book = ctx.books.find(params.id);
    if (!book) throw error(404, 'There is no such book');
    return { count: book.stars.push(body.stars) };
  },
);`,
  'api/books/index.get.ts': `import { get } from 'fwkit';
import { z } from 'zod';
export default get(
  { description: 'Lists books.', response: z.array(z.object({ id: z.string(), title: z.string() })), tool: { name: 'books', view: 'books' } },
  (_req, _res, ctx) => ctx.books.all().map(({ id, title }) => ({ id, title })),
);`,
  'mcp/tools/form.ts': tool(`
  description: 'Shows a form.',
  input: z.record(z.string(), z.unknown()),
  view: 'form',
  handler: (given) => given,`),
  'mcp/tools/count.ts': tool(`
  description: 'Counts calls.',
  view: 'count',
  handler: (_input, ctx) => ({ count: (ctx.books.calls.count += 1) }),`),
  'mcp/tools/note.ts': tool(`description: 'Notes.', handler: () => 'noted',`),
  'mcp/tools/broken.ts': tool(`description: 'Fails.', view: 'broken', handler: () => 'done',`),
  'mcp/tools/chart.ts': tool(`
  description: 'Draws a chart.',
  view: { name: 'chart.html', csp: { connectDomains: ['https://tiles.example'] }, prefersBorder: true },
  handler: () => ({}),`),
  'public/style.css': 'h1 { color: rgb(1, 2, 3); }',
  'views/layout.eta': `<!doctype html>
<html lang="en"><head><title>Books</title><link rel="stylesheet" href="/style.css?v=1"></head>
<body class="book"><%~ it.body %></body></html>`,
  'views/book.eta': `<% layout('layout') %>
<h1><%= it.title %></h1>
<p id="stars"><%= it.stars.join(' ') %></p>
<form data-tool="bookRate" action="/api/books/<%= it.id %>" method="post">
  <b id="token"><%~ it.csrfField %></b>
  <input type="hidden" name="id" value="<%= it.id %>">
  <input type="number" name="stars" min="1" max="5" value="5">
  <button id="rate">Rate</button>
</form>
<form data-tool="bookRate"><input type="hidden" name="id" value="none"><input type="number" name="stars" value="1"><button id="broken">Rate nothing</button></form>
<a href="/about">About</a>
<script>
const times = Number(document.body.dataset.ran ?? 0);
document.body.dataset.ran = times + 1;
</script>`,
  'views/books.eta': `<ul><% it.result.forEach(({ title }) => { %><li><%= title %></li><% }) %></ul>
<p id="called"></p>
<script>
callTool('bookShow', { id: '1' }).then(({ structuredContent }) => {
  document.querySelector('#called').textContent = structuredContent.title;
});
</script>`,
  'views/form.eta': `<% const { csrfField, ...given } = it; %><p id="result"><%= JSON.stringify(given) %></p>
<form data-tool="form">
  <input name="text" value="a"><input name="count" type="number" value="2"><input name="empty" type="number">
  <input name="yes" type="checkbox" checked><input name="no" type="checkbox">
  <input name="tags" type="checkbox" value="x" checked><input name="tags" type="checkbox" value="y">
  <select name="many" multiple><option selected>1<option>2<option selected>3</select>
  <input name="size" type="radio" value="s"><input name="size" type="radio" value="l" checked>
  <input name="off" value="z" disabled>
  <button name="act" value="save">Save</button><button name="act" value="delete">Delete</button>
</form>`,
  'views/count.eta': `<p id="count"><%= it.count %></p><form data-tool="note"><button>Note</button></form>`,
  'views/broken.eta': `<%= it.none.there %>`,
  'views/chart.html': '<!doctype html><title>Chart</title><h1>Chart</h1>',
};
