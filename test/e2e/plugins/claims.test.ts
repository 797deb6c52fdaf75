import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { type Files, project } from '../../harness/project.js';
import { running } from '../../harness/running.js';
import { MAIN, production, TSCONFIG } from '../../harness/settings.js';
import { configFile, middleware, route } from '../../harness/source.js';

const test = suite('claims of other files');

/** A plugin that serves Markdown files, without rendering them. */
const files: Files = {
  'lib/content.ts': `import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileUrls, httpRoute } from 'fwkit/http';
import { definePlugin } from 'fwkit/plugin';
export const content = () => definePlugin({
  name: 'content',
  needs: ['http'],
  apply(hooks) {
    hooks.discover.tap('content', (claims) => claims.add('content', 'content/**/*.md'));
    hooks.resolve.tapPromise('content', async (routes, project) => {
      const urlOf = fileUrls(project, { directory: 'content', mount: '/docs' });
      const pages = await Promise.all(project.files('content').map(async ({ kind, file }) => {
        const url = urlOf(file);
        if (!url) return [];
        const text = await readFile(join(project.source, file), 'utf8');
        return [httpRoute({ kind, file, method: 'GET', path: url.path, meta: {}, handler: () => ({ text }) })];
      }));
      return [...routes, ...pages.flat()];
    });
  },
});
`,
  'fwk.config.ts': `import { content } from './lib/content.js';\n${configFile('{ plugins: [content()] }')}`,
  'content/guide/_middleware.ts': middleware(
    `(req, res, ctx, next) => { res.header('x-guide', '1'); return next(); }`,
  ),
  'api/x.get.ts': route('get', '() => 1'),
  'src/content/index.md': '# Start',
  'src/content/guide/[name].md': '# Any',
};

test('a new file is served without saving a module, and so are its edits and its removal', () =>
  running(files, async ({ made, server, save, json }) => {
    assert.equal(await json('/docs'), { text: '# Start' });
    const page = await server.fetch('/docs/guide/x');
    assert.is(page.headers.get('x-guide'), '1');
    assert.equal(await page.json(), { text: '# Any' });
    assert.is((await server.fetch('/docs/guide')).headers.get('x-guide'), '1');

    await save({ 'src/content/new.md': '# New' });
    assert.equal(await json('/docs/new'), { text: '# New' });
    await save({ 'src/content/new.md': '# Newer' });
    assert.equal(await json('/docs/new'), { text: '# Newer' });
    const from = server.output.mark();
    made.remove('src/content/index.md');
    await server.waitFor(/reloaded [^\n]*index\.md/, from);
    assert.is((await server.fetch('/docs')).status, 404);
  }));

test('a build copies the files, and production serves them', async () => {
  const made = project({ ...files, 'main.ts': MAIN, 'tsconfig.json': TSCONFIG });
  const { status, stderr } = await fwk(made, 'build');
  assert.is(status, 0, stderr);
  const { url, stop } = await production(made);
  assert.equal(await (await fetch(`${url}/docs/guide/x`)).json(), { text: '# Any' });
  await stop();
  made.remove('src/content/index.md');
  assert.match(
    (await fwk(made, 'build')).stdout,
    'dist/content/index.md was removed: its source no longer exists.',
  );
});

test('reports an invalid path', async () => {
  const { stderr } = await fwk(project({ ...files, 'src/content/[a]b.md': '' }), 'routes');
  assert.match(stderr, 'src/content/[a]b.md: has an invalid path segment "[a]b": brackets must enclose');
});

test('a claim without a glob is reported with its plugin', async () => {
  const text = files['lib/content.ts']?.replace(`'content', 'content/**/*.md'`, `'content'`) ?? '';
  const { stderr } = await fwk(project({ ...files, 'lib/content.ts': text }), 'routes');
  assert.match(
    stderr,
    `Plugin "content" failed in discover: it claims files without a kind and a glob: claims.add('job', 'jobs/**').`,
  );
});

test.run();
