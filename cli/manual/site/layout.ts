import { escapeHtml } from '../../../plugins/http/errors/error-page.js';
import { version } from '../../package-version.js';
import type { Manual, Page } from '../pages.js';
import { addressOf, BASE, type Heading } from './render.js';

/** What one page of the site is made of. */
export interface Sheet {
  readonly title: string;
  readonly html: string;
  /** The page of the manual that it shows. */
  readonly page?: Page;
  readonly headings?: readonly Heading[];
  /** What is in the field of the search. */
  readonly question?: string;
}

/** Pages of a topic from which its list begins folded up. */
const MANY = 30;

/** A page of the site, whole. It can be read and searched without its script. */
export function layout(manual: Manual, { title, html, page, headings = [], question = '' }: Sheet): string {
  const topic = manual.topics.find(({ pages }) => page && pages.includes(page));
  const crumbs = topic ? `<p class="crumbs">${escapeHtml(topic.title)}</p>` : '';
  const name = title === '' ? 'fwk manual' : `${title} · fwk manual`;
  const contents = contentsHtml(headings);
  const file = page && `${BASE}/${page.file}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(name)}</title>
<link rel="stylesheet" href="${BASE}/assets/style.css">
<link rel="icon" href="data:,">
${file ? `<link rel="alternate" type="text/markdown" href="${escapeHtml(file)}">` : ''}
<script src="${BASE}/assets/site.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="brand" href="${BASE}/"><span aria-hidden="true">▲</span> fwk <small>manual</small></a>
<form class="search" role="search" action="${BASE}/search">
<label class="hidden" for="q">Search the manual</label>
<input id="q" name="q" type="search" maxlength="200" placeholder="Search" autocomplete="off" spellcheck="false" value="${escapeHtml(question)}">
<kbd aria-hidden="true">/</kbd>
<div id="found" class="found" hidden></div>
</form>
<p class="version">${escapeHtml(version())}</p>
</header>
<div class="frame${contents === '' ? '' : ' with-contents'}">
<nav class="pages" aria-label="Pages">
<details class="menu"><summary>All pages</summary></details>
<div class="tree">
${manual.topics.map((one) => topicHtml(one.title, one.pages, page)).join('\n')}
</div>
</nav>
<main id="content" tabindex="-1">
<article>
${crumbs}
${html}
</article>
${page && page.name !== '' ? neighboursHtml(manual, page) : ''}
${file ? `<p class="source"><a href="${escapeHtml(file)}">This page as Markdown</a></p>` : ''}
</main>
${contents}
</div>
</body>
</html>
`;
}

function topicHtml(title: string, pages: readonly Page[], current: Page | undefined): string {
  const isOpen = pages.length <= MANY || (current !== undefined && pages.includes(current));
  const links = pages.map(
    (page) =>
      `<li><a href="${escapeHtml(addressOf(page))}"${page === current ? ' aria-current="page"' : ''}>${escapeHtml(page.title)}</a></li>`,
  );
  return `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(title)}</summary><ul>${links.join('')}</ul></details>`;
}

function neighboursHtml(manual: Manual, page: Page): string {
  const pages = [...manual.pages.values()];
  const at = pages.indexOf(page);
  const link = (to: Page | undefined, rel: 'prev' | 'next', word: string): string =>
    to
      ? `<a rel="${rel}" href="${escapeHtml(addressOf(to))}"><small>${word}</small>${escapeHtml(to.title)}</a>`
      : '<span></span>';
  return `<nav class="neighbours" aria-label="Previous and next page">${link(pages[at - 1], 'prev', 'Previous')}${link(pages[at + 1], 'next', 'Next')}</nav>`;
}

/** Of one heading there is nothing to choose. */
function contentsHtml(headings: readonly Heading[]): string {
  const listed = headings.filter(({ level }) => level === 2 || level === 3);
  if (listed.length < 2) return '';
  const links = listed.map(
    ({ id, level, title }) =>
      `<li class="level-${level}"><a href="#${escapeHtml(id)}">${escapeHtml(title)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${links.join('')}</ul></nav>`;
}
