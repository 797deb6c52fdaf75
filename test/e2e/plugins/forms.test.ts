import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TestApp } from '../../../testkit/index.js';
import { fwk } from '../../harness/fwk.js';
import { depend } from '../../harness/libraries.js';
import { type Files, project } from '../../harness/project.js';
import { middleware, route } from '../../harness/source.js';
import { createTestApp } from '../../harness/testing.js';

const files: Files = {
  'di/flash.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: () => [] });`,
  'di/seen.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: () => ({}) });`,
  'web/contact/get.ts': `import { get, view } from 'fwkit';
export default get((req, res, ctx) => view('contact', { topics: ['a', 'b'], query: req.query.q ?? 'none' }));`,
  'web/contact/post.ts': `import { error, post } from 'fwkit';
import { z } from 'zod';
const Contact = z.object({
  email: z.email('Enter an address'),
  count: z.number('Enter a number').max(9, 'At most 9'),
  tags: z.array(z.string()).default([]),
  file: z.any().optional(),
});
export default post({ body: Contact }, ({ body }, res, ctx) => {
  if (body.email === 'taken@x.org') throw error(422, { errors: [{ path: ['email'], message: 'Taken' }] });
  if (body.email === 'odd@x.org') return error(422, { message: 'Odd' });
  ctx.flash.push('Thank you, <' + body.email + '>');
  res.redirect('/contact', 303);
}).meta({ form: true });`,
  'web/plain.get.ts': `import { get, view } from 'fwkit';
export default get(() => view('plain', {}));`,
  'views/contact.eta':
    `<% layout('./layout', { title: 'Contact' }) %>` +
    `<input name="email" value="<%= it.form.values.email ?? '' %>">|<%= it.form.errors.email ?? '' %>|` +
    `<%= it.form.values.count ?? '' %>|<%= it.form.errors.count ?? '' %>|<%= it.form.values.tags ?? '' %>|` +
    `<%= it.form.values.file ?? 'none' %>|<%= it.topics.join() %>|<%= it.query %>|` +
    '<% for (const one of it.flash) { %><p><%= one %></p><% } %>',
  'views/plain.eta': `<% layout('./layout', {}) %>plain`,
  'views/layout.eta': '<title><%= it.title %></title><%~ it.body %>',
};

const test = suite('forms');
let app: TestApp;
test.before(async () => {
  const made = project(files);
  depend(made, 'zod');
  app = await createTestApp({ dir: made.root, logger: false });
});
test.after(async () => {
  await app.close();
});

const form = (fields: Record<string, string>) => new URLSearchParams(fields);

test('an invalid form is shown again with its input and its errors', async () => {
  const fresh = await (await app.get('/contact')).text();
  assert.match(fresh, 'value="">|||||none|a,b|none|');
  const answer = await app.post('/contact?q=1', form({ email: '"ann"', count: '12', tags: 'x' }));
  assert.is(answer.status, 422);
  const text = await answer.text();
  assert.match(text, '<title>Contact</title>');
  assert.match(text, 'value="&quot;ann&quot;">|Enter an address|12|At most 9|x|none|a,b|1|');
});

test('files of a multipart form are not shown again', async () => {
  const data = new FormData();
  data.set('email', 'ann');
  data.set('file', new File(['1'], 'a.txt'));
  const answer = await app.post('/contact', data);
  assert.is(answer.status, 422);
  assert.match(await answer.text(), 'value="ann">|Enter an address||Enter a number||none|');
});

test('a handler can reject a form like a schema', async () => {
  const answer = await app.post('/contact', form({ email: 'taken@x.org', count: '1' }));
  assert.is(answer.status, 422);
  assert.match(await answer.text(), 'value="taken@x.org">|Taken|1||');
  const other = await app.post('/contact', form({ email: 'odd@x.org', count: '1' }));
  assert.is(other.status, 422);
  assert.equal(await other.json(), { message: 'Odd' });
});

test('a form without any value is an empty object', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await app.post('/contact', '', { headers });
  assert.is(answer.status, 422);
  assert.match(await answer.text(), '|Enter an address||Enter a number||');
});

test('a script that sends JSON gets the errors as JSON', async () => {
  const answer = await app.post('/contact', { email: 'ann', count: 1 });
  assert.is(answer.status, 422);
  assert.match(answer.headers.get('content-type') ?? '', 'application/problem+json');
});

test('a flash message is shown once, and only templates that show it read the session', async () => {
  const visitor = app.visitor();
  const sent = await visitor.post('/contact', form({ email: 'ann@x.org', count: '1' }));
  assert.is(sent.status, 303);
  const plain = await visitor.get('/plain');
  assert.match(await plain.text(), 'plain');
  assert.is(plain.headers.get('vary'), null);
  await visitor.head('/contact');
  assert.match(await (await visitor.get('/contact')).text(), '<p>Thank you, &lt;ann@x.org&gt;</p>');
  assert.not.match(await (await visitor.get('/contact')).text(), '<p>');
});

test('wrong uses are reported at startup', async () => {
  const made = project({
    'web/a.post.ts': route('post', '() => 1').replace(/;\n$/, '.meta({ form: true });\n'),
    'web/b.get.ts': route('get', '() => 1').replace(/;\n$/, '.meta({ form: true });\n'),
    'web/d/get.ts': route('get', '() => 1'),
    'web/d/_middleware.ts': middleware('(req, res, ctx, next) => next()'),
    'web/d.post.ts': route('post', '() => 1').replace(/;\n$/, '.meta({ form: true });\n'),
    'web/c.post.ts': route('post', '() => 1').replace(/;\n$/, ".meta({ form: 'c' });\n"),
  });
  const { status, stderr } = await fwk(made, 'routes');
  assert.is(status, 1);
  for (const message of [
    'has .meta({ form: true }), but no page to show again. Add a GET route for /a that returns view(…).',
    'has .meta({ form: true }), which belongs to the route that receives the form.',
    ', is behind src/web/d/_middleware.ts, which does not run for this route. Move both files into one directory.',
    'has .meta({ form: "c" }). Make it true or leave it out.',
  ])
    assert.match(stderr, message);
});

test.run();
