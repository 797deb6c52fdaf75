import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blocksOf } from '../../harness/documents.js';
import { dev } from '../../harness/fwk.js';
import { linkRecipeTools } from '../../harness/libraries.js';
import { project } from '../../harness/project.js';
import { build, MAIN, production, TSCONFIG } from '../../harness/settings.js';

// The page of docs/guide/views.md, rendered by Preact and by React, in development and in production.

const test = suite('JSX');

const LIBRARIES = {
  preact: { source: 'preact', packages: ['preact', 'preact-render-to-string'] },
  react: { source: 'react', packages: ['react', 'react-dom', '@types/react', '@types/react-dom'] },
};

for (const [name, { source, packages }] of Object.entries(LIBRARIES))
  test(`${name} renders a page on the server`, async () => {
    const block = blocksOf('docs/guide/views.md').find(({ language }) => language === 'tsx')?.text ?? '';
    const [page = '', route = ''] = block.split('// src/web/cart.get.ts\n');
    const { compilerOptions, ...rest } = JSON.parse(TSCONFIG);
    const jsx = { jsx: 'react-jsx', ...(name === 'preact' && { jsxImportSource: source }) };
    const made = project({
      'main.ts': MAIN,
      'tsconfig.json': JSON.stringify({ compilerOptions: { ...compilerOptions, ...jsx }, ...rest }),
      'src/lib/cart-page.tsx':
        name === 'react' ? page.replace('preact-render-to-string', 'react-dom/server') : page,
      'web/cart.get.ts': route,
    });
    linkRecipeTools(made, ...packages);
    await build(made);
    for (const start of [() => dev(made), () => production(made)]) {
      const { url, stop } = await start();
      try {
        const response = await fetch(`${url}/cart`);
        assert.is(await response.text(), '<!doctype html><ul><li>pen</li><li>paper</li></ul>');
        assert.match(response.headers.get('content-type') ?? '', 'text/html');
      } finally {
        await stop();
      }
    }
  });

test.run();
