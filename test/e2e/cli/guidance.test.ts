import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PAGES } from '../../../plugins/skills/guidance.js';
import { type Dev, dev, fwk } from '../../harness/fwk.js';
import { repo } from '../../harness/installed.js';
import { linkLibraries } from '../../harness/libraries.js';
import { type Files, type Layout, layouts, type Project, project } from '../../harness/project.js';
import { module, service } from '../../harness/source.js';
import { tsc } from '../../harness/tsc.js';

// The guidance that fwk skills writes: at most 8 KB with any plugins, and its examples compile, boot and answer at the places that they name.

const LIMIT_BYTES = 8_192;

async function guidanceOf(made: Project): Promise<string> {
  const { status, stderr } = await fwk(made, 'skills', '--ide', 'codex');
  assert.is(status, 0, stderr);
  const text = made.read('AGENTS.md');
  assert.ok(Buffer.byteLength(text) <= LIMIT_BYTES, `${Buffer.byteLength(text)} bytes`);
  assert.is((text.match(/^```/gm) ?? []).length % 2, 0);
  assert.match(text, /^`npx fwk docs <page or word>`.*\n\nCheck your work: .*\.\n<!-- fwk:end -->\n$/m);
  return text;
}

/** A project with a config that has these imports and options. */
const configured = (imports: string, options: string, files: Files = {}): Project =>
  project({
    'api/x.get.ts': module('get', 'export default get(() => 1);'),
    ...files,
    'fwk.config.ts': `${imports}\nexport default { ${options} };\n`,
  });

/** A plugin, as the config has it. */
const plugin = (name: string, guidance: string): string =>
  `{ name: '${name}', apply() {}, guide: async () => ({ guidance: () => ${JSON.stringify(guidance)} }) }`;

const room = suite('size of the guidance');

const CONVENTIONS = [
  'HTTP routes',
  '`ctx`',
  'Middlewares',
  'Pages and forms',
  'Files',
  'Server-sent events',
  'Sessions',
  'WebSockets',
];
const REST = ['Config, start, test', 'More'];

const headingsOf = (text: string): (string | undefined)[] =>
  [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);

room('it lists all conventions and the packages of fwk', async () => {
  const imports = `import { cron } from '@fwkit/cron';
import { prove } from '@fwkit/prove';
import { queues } from '@fwkit/queue';`;
  const text = await guidanceOf(configured(imports, 'plugins: [cron(), prove(), queues()]'));
  assert.equal(headingsOf(text), [...CONVENTIONS, 'Cron', 'Policy', 'Queues', ...REST]);
  const tools = await guidanceOf(configured(imports, 'plugins: [cron()]', { 'mcp/tools/x.ts': '' }));
  assert.equal(new Set(headingsOf(tools)), new Set([...CONVENTIONS, 'MCP', 'Cron', ...REST]));
});

const SENTENCE = 'A shelf stands where its file says, and nowhere else. ';

room('a plugin with too much guidance is reported, and the guidance of others is kept', async () => {
  const alone = await guidanceOf(configured('', ''));
  const large = plugin('large', `## Large\n\n${SENTENCE.repeat(100)}`);
  const text = await guidanceOf(configured('', `plugins: [${large}, ${plugin('small', '## Small')}]`));
  const [before = '', after = ''] = alone.split('## Config, start, test');
  assert.ok(text.startsWith(`${before}## Small\n\n## Config, start, test`));
  const named = 'Read the pages of these plugins first: `large`. `npx fwk docs` lists them.\n\n';
  assert.ok(text.endsWith(after.replace('## More', () => `${named}## More`)));
});

room('100 plugins take one line', async () => {
  const shelves = Array.from({ length: 100 }, (_, at) => plugin(`shelf-${at}`, `## Shelf\n\n${SENTENCE}`));
  const text = await guidanceOf(configured('', `plugins: [${shelves.join(', ')}]`));
  assert.match(text, /^Read the pages of these plugins first: `shelf-\d+`,.* and more\./m);
});

room('it omits disabled plugins, and MCP if the project has none', async () => {
  const words: Readonly<Record<string, string>> = {
    context: 'service(',
    web: '`web/get',
    mcp: 'mcp',
    middlewares: '`_middleware',
    views: '.eta',
    static: 'public/logo',
    session: 'renewSession',
    sse: 'lastEventId',
    ws: 'ws/rooms',
    typegen: 'types --check',
  };
  const all = await guidanceOf(configured('', '', { 'mcp/tools/x.ts': '' }));
  assert.match(all, 'mcp/tools');
  assert.not.match(await guidanceOf(configured('', '')), 'mcp/tools');
  const off = await guidanceOf(configured('', `disable: ${JSON.stringify(Object.keys(words))}`));
  for (const [name, word] of Object.entries(words)) {
    assert.ok(all.includes(word), name);
    assert.not.ok(off.replace(/^`npx fwk docs <page[\s\S]*/m, '').includes(word), name);
  }
});

room('it links to every page of the guide', () => {
  const named = [...PAGES.matchAll(/`(\w+)\/`: ([\w -]+)/g)].flatMap(([, folder = '', names = '']) =>
    names.split(' ').map((name) => `${folder}/${name}.md`),
  );
  const missing = named.filter((page) => !existsSync(path.join(repo, 'docs', page)));
  assert.equal(missing, []);
  for (const page of readdirSync(path.join(repo, 'docs/guide')).filter((page) => page !== 'start.md'))
    assert.ok(named.includes(`guide/${page}`), page);
});

room.run();

/** The imports that an example leaves out. */
function importsFor(layout: Layout, file: string): string {
  if (file.includes('fwk.config')) return "import { defineConfig } from 'fwkit';\n";
  if (file.includes('.test.'))
    return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from 'fwkit/testing';
const fake = { send: async () => {} };
`;
  const types = layout === 'ts' ? ', type HttpRequest, type InputIssue, type Part' : '';
  const names =
    'bootstrap, di, error, file, get, isHttpError, middleware, post, renewSession, service, sse, view, ws';
  return `import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { ${names}${types} } from 'fwkit';
import { tool } from 'fwkit/mcp';
import { z } from 'zod';
import { open } from '#database';
`;
}

/** The members of `ctx` that the examples read. */
const worldOf = (layout: Layout): Files => ({
  'lib/database.ts': `const books = [{ title: 'none' }, { title: 'Emma' }];
export const open = async (_url = '') => ({ get: async (id = 0) => books[id], close: () => {} });
`,
  'env.ts': module(
    'env',
    `import { z } from 'zod';\nexport default env(z.object({ DB: z.string().default('books') }));`,
  ),
  'services/users.ts': service(
    `() => ({ check: async ({ name = '', password = '' }) => (password === 'tea' ? { name, isAdmin: name === 'ada' } : null) })`,
  ),
  'services/notes.ts': service(`() => {
  const notes = [{ text: 'Buy tea' }];
  return {
    all: () => notes,
    add: (text = '') => void notes.push({ text }),
    search: async (word = '') => notes.flatMap(({ text }) => (text.includes(word) ? [text] : [])),
  };
}`),
  'services/news.ts': service(`() => ({
  subscribe(after = '', hear${layout === 'ts' ? ': (item: { id: string }) => void' : ''}) {
    hear({ id: after + '1' });
    return () => {};
  },
})`),
  'services/mail.ts': service('() => ({ send: async () => {} })'),
  'web/notes/get.ts': module(
    'get, view',
    "export default get((req, res, ctx) => view('notes', { notes: ctx.notes.all() }));",
  ),
  'api/secret.get.ts': module('get', "export default get(() => 'secret').meta({ adminOnly: true });"),
  'mcp/tools/find-notes.ts': '',
  'views/notes.eta': `<p><%= it.form.errors.text ?? '' %></p>
<input name="text" value="<%= it.form.values.text ?? '' %>"><% it.notes.forEach((note) => { %><li><%= note.text %></li><% }) %>`,
});

/** A project with every example of its guidance at the place that it names. */
async function exemplary(layout: Layout): Promise<Project> {
  const made = project(worldOf(layout), layout);
  made.write(
    'package.json',
    JSON.stringify({
      type: 'module',
      dependencies: { zod: '*' },
      imports: { '#database': `./${made.label('lib/database.ts')}`.replace(/ts$/, 'js') },
    }),
  );
  linkLibraries(made);
  const blocks = (await guidanceOf(made)).matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm);
  let count = 0;
  for (const [, language, code = ''] of blocks) {
    assert.is(language, layout);
    for (const example of code.split(/^(?=\/\/ \S+\.[tj]s\b)/m)) {
      const [, name = ''] = /^\/\/ (\S+\.[tj]s)/.exec(example) ?? [];
      made.write(name.replace(/^src\//, '').replace(/js$/, 'ts'), importsFor(layout, name) + example);
      count += 1;
    }
  }
  assert.is(count, 14);
  return made;
}

const LISTED = `GET /api/live
POST /api/login
POST /api/pictures
GET /api/pictures/:id
GET /api/secret
POST /api/books/:id
MCP /mcp
GET /notes
POST /notes
WS /ws/rooms/:room
`;

const sortedLines = (text: string): string[] => text.trim().split('\n').sort();

for (const layout of layouts) {
  const test = suite<{ made: Project }>(`the examples of the guidance, ${layout}`);

  test.before(async (context) => {
    context.made = await exemplary(layout);
  });

  test('guidance examples compile and boot', async ({ made }) => {
    const { status, stdout, stderr } = await fwk(made, 'routes');
    assert.is(status, 0, stderr);
    assert.equal(sortedLines(stdout), sortedLines(LISTED));
    if (layout === 'js') return;
    assert.is((await fwk(made, 'types')).status, 0);
    assert.equal(await tsc(made, undefined, { verbatimModuleSyntax: false }), []);
  });

  // In TypeScript it is compiled above.
  const testInJavaScript = layout === 'js' ? test : test.skip;
  testInJavaScript('the example test passes', async ({ made }) => {
    const { status, stdout, stderr } = await fwk(made, 'test');
    assert.is(status, 0, stdout + stderr);
  });

  test('guidance examples are safe to copy', async ({ made }) => {
    const server = await dev(made);
    try {
      await checkInput(server);
      await checkUpload(server);
      await checkForm(server);
      await checkLogin(server);
    } finally {
      await server.stop();
    }
  });

  test.run();
}

const json = (value: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

async function checkInput({ fetch }: Dev): Promise<void> {
  const found = await fetch('/api/books/1', json({ text: 'Good' }));
  assert.equal([found.status, await found.json()], [200, { title: 'Emma', text: 'Good' }]);
  const unknown = await fetch('/api/books/7', json({ text: 'Good' }));
  assert.equal([unknown.status, await unknown.json()], [404, { message: 'No such book' }]);
  assert.is(unknown.headers.get('content-type'), 'application/json');
  const refused = await fetch('/api/books/1', json({ text: '' }));
  assert.is(refused.status, 422);
  const problem = (await refused.json()) as { errors: { in: string; path: string[] }[] };
  assert.equal(Object.keys(problem).sort(), ['errors', 'message', 'status', 'title']);
  assert.equal([problem.errors[0]?.in, problem.errors[0]?.path], ['body', ['text']]);
}

/** The upload directory does not exist before, and uploaded files are only served as downloads. */
async function checkUpload({ fetch }: Dev): Promise<void> {
  const form = new FormData();
  form.append('note', 'no file');
  form.append('picture', new Blob(['<script>']), '../../x.html');
  const saved = await fetch('/api/pictures', { method: 'POST', body: form });
  assert.is(saved.status, 200, await saved.clone().text());
  const { id } = (await saved.json()) as { id: string };
  const sent = await fetch(`/api/pictures/${id}`);
  assert.is(await sent.text(), '<script>');
  assert.is(sent.headers.get('content-type'), 'application/octet-stream');
  assert.match(sent.headers.get('content-disposition') ?? '', 'attachment');
  assert.is((await fetch('/api/pictures/..%2Fpackage.json')).status, 404);
  form.delete('picture');
  assert.is((await fetch('/api/pictures', { method: 'POST', body: form })).status, 400);
}

async function checkForm({ fetch, url }: Dev): Promise<void> {
  const submit = (text: string) =>
    fetch('/notes', { method: 'POST', headers: { origin: url }, body: new URLSearchParams({ text }) });
  const refused = await submit('');
  assert.is(refused.status, 422);
  assert.match(await refused.text(), /^<p>.+<\/p>\s*<input name="text" value=""><li>Buy tea<\/li>$/);
  const added = await submit('<b>');
  assert.equal([added.status, added.headers.get('location')], [303, '/notes']);
  assert.match(await (await fetch('/notes')).text(), '<li>&lt;b&gt;</li>');
}

async function checkLogin({ fetch }: Dev): Promise<void> {
  const login = (name: string, password: string) => fetch('/api/login', json({ name, password }));
  const secret = async (cookie: string) => (await fetch('/api/secret', { headers: { cookie } })).status;
  assert.is(await secret(''), 403);
  for (let count = 0; count < 6; count += 1) assert.is((await login('ada', 'tea')).status, 204);
  const cookieOf = async (name: string) =>
    (await login(name, 'tea')).headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
  assert.is(await secret(await cookieOf('bob')), 403);
  assert.is(await secret(await cookieOf('ada')), 200);
  for (let count = 0; count < 5; count += 1) assert.is((await login('ada', 'wrong')).status, 401);
  assert.is((await login('ada', 'tea')).status, 429);
}
