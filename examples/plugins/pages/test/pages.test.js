import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pages } from 'fwk-pages';
import { testPlugin } from 'fwkit/testing';

const page = (render) => `import { page } from 'fwk-pages';
export default page(${render});
`;

const fixtures = {
  files: {
    'tsconfig.json': '{ "compilerOptions": { "jsx": "react-jsx", "jsxImportSource": "preact" } }',
    'pages/index.tsx': page('() => <h1>Home & garden</h1>'),
    'pages/books/[id].tsx': page("async ({ params }) => (params.id === '1' ? <h1>Emma</h1> : null)"),
    'pages/books/_middleware.ts': `import { middleware } from 'fwkit';
export default middleware((req, res, ctx, next) => { res.header('x-books', req.params.id ?? ''); return next(); });
`,
  },
  broken: {
    'pages/index.tsx': 'export default () => <h1>Home</h1>;\n',
    'pages/[id/x.tsx': page('() => <h1>Home</h1>'),
    'pages/nothing.tsx': page(''),
  },
  async works({ fetch }) {
    assert.equal(await (await fetch('/')).text(), '<!doctype html><h1>Home &amp; garden</h1>');
    const book = await fetch('/books/1');
    assert.equal(book.headers.get('x-books'), '1');
    assert.equal(await book.text(), '<!doctype html><h1>Emma</h1>');
    assert.equal((await fetch('/books/2')).status, 404);
  },
};

test('follows the rules for plugins', () => testPlugin(pages(), fixtures));
