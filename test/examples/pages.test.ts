import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev, fwk } from '../harness/fwk.js';
import type { Files } from '../harness/project.js';
import { build, MAIN, production, TSCONFIG } from '../harness/settings.js';
import { configFile, middleware, service } from '../harness/source.js';
import { withPlugin } from './example.js';

const test = suite('pages');

const { compilerOptions, include } = JSON.parse(TSCONFIG) as { compilerOptions: object; include: unknown };
const page = (render: string) =>
  `import { page } from 'fwk-pages';\nimport type { HttpRequest } from 'fwkit';\nexport default page(${render});\n`;

const files: Files = {
  'fwk.config.ts': `import { pages } from 'fwk-pages';\n${configFile('{ plugins: [pages()] }')}`,
  'services/books.ts': service(`() => new Map([['1', 'Emma']])`),
  'src/lib/layout.tsx': `import type { ComponentChildren } from 'preact';
export const Layout = ({ children }: { children: ComponentChildren }) => <main>{children}</main>;\n`,
  'src/pages/books/[id].tsx': `import { Layout } from '../../lib/layout.js';
${page(`async (req: HttpRequest<'/books/:id'>, ctx) => {
  const title = ctx.books.get(req.params.id);
  return title === undefined ? null : <Layout>{title}</Layout>;
}`)}`,
  'pages/books/_middleware.ts': middleware(
    `(req, res, ctx, next) => { res.header('x-books', '1'); return next(); }`,
  ),
  'main.ts': MAIN,
  'tsconfig.json': JSON.stringify({
    compilerOptions: { ...compilerOptions, jsx: 'react-jsx', jsxImportSource: 'preact' },
    include,
  }),
};
const made = () => withPlugin('pages', files, ['preact', 'preact-render-to-string']);

test('a page is rendered in fwk dev, and so is a new one', async () => {
  const pages = made();
  const server = await dev(pages);
  const book = await server.fetch('/books/1');
  assert.is(await book.text(), '<!doctype html><main>Emma</main>');
  assert.is(book.headers.get('x-books'), '1');
  assert.is((await server.fetch('/books/2')).status, 404);
  const from = server.output.mark();
  pages.write('src/pages/new.tsx', page('() => <h1>New</h1>'));
  await server.waitFor(/\+ PAGE \/new/, from);
  assert.is(await (await server.fetch('/new')).text(), '<!doctype html><h1>New</h1>');
  pages.write('src/lib/layout.tsx', pages.read('src/lib/layout.tsx').replaceAll('main', 'article'));
  await server.waitFor(/reloaded [^\n]*layout\.tsx/, from);
  assert.is(await (await server.fetch('/books/1')).text(), '<!doctype html><article>Emma</article>');
  await server.stop();
});

test('a build compiles the pages and checks their types, and production serves them', async () => {
  const pages = made();
  await build(pages);
  const { url, stop } = await production(pages);
  assert.is(await (await fetch(`${url}/books/1`)).text(), '<!doctype html><main>Emma</main>');
  await stop();
  pages.write('src/pages/plain.tsx', 'export default () => <h1>Plain</h1>;\n');
  const wrong = await fwk(pages, 'types', '--check');
  assert.is(wrong.status, 1);
  assert.match(wrong.stdout + wrong.stderr, 'src/pages/plain.tsx');
  pages.write('src/pages/plain.tsx', page(`(req: HttpRequest<'/books/:id'>) => <h1>{req.params.name}</h1>`));
  assert.match((await fwk(pages, 'build')).stdout, /plain\.tsx.*Property 'name' does not exist/);
});

test.run();
