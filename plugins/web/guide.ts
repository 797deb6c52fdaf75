import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { emitModule } from '../../contributions/index.js';
import type { Generation } from '../../kernel/index.js';

const PAGE = 'web/get';

/** Writes a first page, if the project has none: if two pages answered `/`, neither would be served. */
export function starter(generation: Generation): void {
  const { project, plugins, emit } = generation;
  if (!isFree(project)) return;
  const hasViews = plugins.has('views');
  emitModule(generation, PAGE, () => (hasViews ? RENDERED : PLAIN));
  if (!hasViews) return;
  const page = project.display(`${PAGE}.${project.language}`);
  emit({ path: 'views/home.eta', contents: template(page, plugins), ifExists: 'keep' });
  if (plugins.has('static')) emit({ path: 'public/style.css', contents: STYLE, ifExists: 'keep' });
}

/** Whether no file other than the starter of an earlier run answers `/`. */
function isFree({ root, source }: Generation['project']): boolean {
  const pages = existsSync(join(source, 'web')) ? readdirSync(join(source, 'web')) : [];
  return !existsSync(join(root, 'public/index.html')) && pages.every((name) => /^get\.m?[jt]s$/.test(name));
}

const RENDERED = `import { get, view } from 'fwkit';

// GET /
export default get(() => view('home', { title: 'It works' }));
`;

const PLAIN = `import { get } from 'fwkit';

// GET /
export default get((_req, res) => {
  res.type('html');
  return '<h1>It works</h1>';
});
`;

const template = (page: string, plugins: Generation['plugins']): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title><%= it.title %></title>
    <link rel="icon" href="data:,">
${plugins.has('static') ? '    <link rel="stylesheet" href="/style.css">\n' : ''}  </head>
  <body>
    <main>
      <h1><%= it.title %></h1>
      <p>This page is <code>views/home.eta</code>, which <code>${page}</code> renders.</p>
${plugins.has('api') ? '      <p>An endpoint: <a href="/api/hello/you">/api/hello/you</a></p>\n' : ''}    </main>
  </body>
</html>
`;

const STYLE = `:root {
  color-scheme: light dark;
  background: Canvas;
}

body {
  max-width: 40rem;
  margin: 4rem auto;
  padding: 0 1rem;
  font: 1rem/1.6 system-ui, sans-serif;
}
`;
