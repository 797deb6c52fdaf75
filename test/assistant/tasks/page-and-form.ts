import * as assert from 'uvu/assert';
import type { Task } from '../task.js';

export const pageAndForm: Task = {
  ask: `GET /notes is an HTML page: a list of all notes (one <li> each with its text), and a form that posts the fields "text" and "by" to
/notes (as browsers send forms, urlencoded). The POST adds the note and leads back to /notes with 303. The page is made of a template that has its
<!doctype html>, head and body from a layout views/layout.eta, which other pages can share. What people write is escaped.`,
  solution: {
    'views/layout.eta':
      '<!doctype html>\n<html lang="en"><head><title><%= it.title %></title></head><body><%~ it.body %></body></html>\n',
    'views/notes.eta': `<% layout('./layout', { title: 'Notes' }) %>
<ul><% it.notes.forEach((note) => { %><li><%= note.text %></li><% }) %></ul>
<form method="post" action="/notes"><input name="text"><input name="by"><button>Add</button></form>
`,
    'web/notes.get.ts': `import { get, view } from 'fwkit';

export default get((_req, _res, ctx) => view('notes', { notes: ctx.notes.all() }));
`,
    'web/notes.post.ts': `import { post } from 'fwkit';
import { z } from 'zod';

const Form = z.object({ text: z.string().min(1), by: z.string().min(1) });

export default post({ body: Form }, ({ body }, res, ctx) => {
  ctx.notes.add(body.text, body.by);
  res.redirect('/notes', 303);
});
`,
  },
  async check({ ask, project }) {
    const page = await ask('/notes');
    assert.is(page.status, 200);
    assert.match(page.headers['content-type'] ?? '', 'text/html');
    assert.match(page.text, /<!doctype html>/i);
    assert.match(page.text, 'Read &lt;Emma&gt;');
    assert.match(page.text, /<form[^>]*method="?post/i);
    const sent = await ask('/notes', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'text=Sleep+%3Cwell%3E&by=ada',
    });
    assert.is(sent.status, 303);
    assert.is(new URL(sent.headers.location ?? '', 'http://x').pathname, '/notes');
    const after = await ask('/notes');
    assert.match(after.text, 'Sleep &lt;well&gt;');
    assert.is(after.text.match(/<li[ >]/g)?.length, 3);
    assert.match(project.read('views/layout.eta'), /<!doctype html>/i);
  },
};
