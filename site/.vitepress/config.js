// The website of the documentation: every page of docs/, except for the pages for contributors.
import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file) => readFileSync(join(root, file), 'utf8');
const { version, description } = JSON.parse(read('package.json'));

/** `https://github.com/owner/name`, if the environment names the repository, as GitHub Actions does. */
const repository =
  process.env.GITHUB_REPOSITORY &&
  `${process.env.GITHUB_SERVER_URL ?? 'https://github.com'}/${process.env.GITHUB_REPOSITORY}`;
const INTERNALS = 'internals/';

export default defineConfig({
  srcDir: join(root, 'docs'),
  srcExclude: [`${INTERNALS}**`],
  outDir: join(root, 'dist/site'),
  cacheDir: join(root, 'dist/vitepress'),
  // GitHub Pages serves a repository's site at /<repository>/.
  base: `${process.env.BASE_PATH ?? ''}/`,
  cleanUrls: true,
  // http://localhost:3000 is the reader's own server.
  ignoreDeadLinks: 'localhostLinks',
  rewrites: (file) => file.replace(/README\.md$/, 'index.md'),
  title: 'fwk',
  description,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  themeConfig: {
    search: {
      provider: 'local',
      // A search for a word should find the guide before error pages with the word in their titles.
      options: {
        miniSearch: { searchOptions: { boostDocument: (page) => (page.includes('/errors/') ? 0.3 : 1) } },
      },
    },
    outline: [2, 3],
    nav: [{ text: `v${version}`, link: 'https://www.npmjs.com/package/fwkit' }],
    sidebar: topicsOf('README.md'),
    ...(repository && {
      editLink: { pattern: `${repository}/edit/main/docs/:path`, text: 'Edit this page' },
      socialLinks: [{ icon: 'github', link: repository }],
    }),
  },
  markdown: {
    anchor: { slugify: anchorOf },
    languageAlias: { eta: 'html', haproxy: 'nginx' },
    config: adaptMarkdown,
  },
  vite: { plugins: [dependenciesOfTheSite()] },
});

/** The headings of docs/README.md, each with the pages that are listed below it. */
function topicsOf(file) {
  return read(`docs/${file}`)
    .split(/^## /m)
    .slice(1)
    .map((topic) => ({ text: topic.split('\n', 1)[0], items: pagesListedIn(topic, file) }));
}

/** The pages that a list links to. The pages that a README lists are nested below it. */
function pagesListedIn(text, from) {
  return [...text.matchAll(/^- \[([^\]]+)\]\(([^)#]+)\.md\)/gm)].map(([, title, to]) => {
    const page = posix.join(posix.dirname(from), to);
    const isFolder = page.endsWith('/README');
    return {
      text: title,
      link: `/${page.replace(/README$/, '')}`,
      ...(isFolder && { items: pagesListedIn(read(`docs/${page}.md`), `${page}.md`), collapsed: true }),
    };
  });
}

/** The anchor of a heading, by GitHub's rule. The anchor of an error code is the code: `fwk104`. */
function anchorOf(heading) {
  const slug = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
  return slug.replace(/^(fwk\d{3})-.*/, '$1');
}

/** Vite looks for dependencies in docs/, where the pages are. They are installed here. */
function dependenciesOfTheSite() {
  return {
    name: 'dependencies-of-the-site',
    enforce: 'pre',
    // The bundle that renders the pages is written to this folder, so it finds Vue itself.
    resolveId: (id, _importer, { ssr }) =>
      ssr && /^vue(?:\/|$)/.test(id) ? { id, external: true } : undefined,
    // Otherwise, the development server warns about each of these dependencies.
    configResolved({ optimizeDeps }) {
      optimizeDeps.include = optimizeDeps.include.filter((name) => !name.startsWith('vitepress > '));
    },
  };
}

function adaptMarkdown(md) {
  md.core.ruler.push('site-links', adaptLinks);
  // Vue would evaluate text between two braces.
  for (const rule of ['text', 'code_inline']) {
    const render = md.renderer.rules[rule];
    md.renderer.rules[rule] = (...given) => render(...given).replaceAll('{{', '&#123;&#123;');
  }
}

/** Links between pages have the site's anchors. Links to other files of the repository point to GitHub, or become plain text. */
function adaptLinks({ tokens, env }) {
  const folder = dirname(env.relativePath.replace(/(^|\/)index\.md$/, '$1README.md'));
  for (const { children } of tokens) {
    if (!children) continue;
    let isText = false;
    for (const token of children) {
      if (token.type === 'link_open') {
        const href = token.attrGet('href') ?? '';
        const [path, anchor] = href.split('#');
        const file = posix.join('docs', folder, path);
        if (/^[a-z]+:/.test(href)) continue;
        if (file.startsWith('docs/') && file.endsWith('.md') && !file.startsWith(`docs/${INTERNALS}`))
          token.attrSet(
            'href',
            path.replace(/README\.md$/, 'index.md') + (anchor ? `#${anchorOf(anchor)}` : ''),
          );
        else if (path === '') token.attrSet('href', `#${anchorOf(anchor)}`);
        else if (repository)
          token.attrSet('href', `${repository}/blob/main/${file}${anchor ? `#${anchor}` : ''}`);
        else isText = true;
      }
      const isEnd = token.type === 'link_close';
      if (isText && (isEnd || token.type === 'link_open')) {
        if (isEnd) isText = false;
        Object.assign(token, { type: 'text', content: '', tag: '', nesting: 0, attrs: null });
      }
    }
  }
}
