import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { escapeHtml } from '../../../plugins/http/errors/error-page.js';
import { version } from '../../command-line.js';
import { find } from '../find.js';
import { type Manual, type Page, pageFolders, readManual } from '../pages.js';
import { type Hit, search, wordsOf } from '../search.js';
import { addressOf, BASE, type Heading, render } from './render.js';

/** Nothing from elsewhere, and of the site itself only what its pages need. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Answers targets below the manual's base: the pages for the project at `root`. They are read by the first request. */
export function manualListener(root: string): RequestListener {
  let manual: Manual | undefined;
  return (raw, out) => {
    const { method = 'GET', url = '/' } = raw;
    if (method !== 'GET' && method !== 'HEAD') {
      out.writeHead(405, { Allow: 'GET, HEAD', 'Content-Type': 'text/plain; charset=utf-8' });
      return void out.end('The manual is only read.\n');
    }
    manual ??= readManual(pageFolders(root));
    const { status, type, body, location } = answerFor(manual, url);
    const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    const headers = {
      'Content-Type': type,
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Resource-Policy': 'same-origin',
      ETag: tag,
      ...(location === undefined ? {} : { Location: location }),
    };
    if (status === 200 && raw.headers['if-none-match'] === tag) return void out.writeHead(304, headers).end();
    out.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) });
    out.end(method === 'HEAD' ? undefined : body);
  };
}

/** What a request of the site is answered with. */
interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  /** Where it is instead. */
  readonly location?: string;
}

const HTML = 'text/html; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';

/** Files beside the bundle. */
const ASSETS: ReadonlyMap<string, readonly [file: string, type: string]> = new Map([
  ['assets/style.css', ['./manual.css', 'text/css; charset=utf-8']],
  ['assets/site.js', ['./manual.js', 'text/javascript; charset=utf-8']],
]);

/** Hits that a list below the field shows; the page of the search shows all. */
const FEW = 8;

/** Answer a target below BASE: a page, a page as Markdown, a search, or what a page needs. */
export function answerFor(manual: Manual, target: string): Answer {
  const url = new URL(target, 'http://localhost');
  if (url.pathname === BASE) return redirect(`${BASE}/`);
  const path = decoded(url.pathname.slice(BASE.length + 1));
  const asset = ASSETS.get(path);
  if (asset) return ok(readFileSync(new URL(asset[0], import.meta.url), 'utf8'), asset[1]);
  if (path === '') return ok(frontHtml(manual), HTML);
  if (path === 'llms.txt') return ok(indexText(manual), TEXT);
  if (path === 'llms-full.txt') return ok(fullText(manual), TEXT);
  if (path === 'search') return answerSearch(manual, url.searchParams);
  const page = manual.pages.get(path);
  if (page) return ok(pageHtml(manual, page), HTML);
  if (path.endsWith('.md')) {
    const source =
      path === 'README.md' ? manual.front : [...manual.pages.values()].find(({ file }) => file === path);
    const same = source ?? manual.pages.get(path.slice(0, -3));
    if (same) return ok(same.text, MARKDOWN);
  }
  return elsewhere(manual, path) ?? missing(manual, path);
}

const ok = (body: string, type: string): Answer => ({ status: 200, type, body });

const redirect = (location: string): Answer => ({
  status: 302,
  type: TEXT,
  body: `See ${location}\n`,
  location,
});

/** What cannot be decoded names no page. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A page that is named in another case, by its last part, or with a slash at the end. */
function elsewhere(manual: Manual, path: string): Answer | undefined {
  const found = find(manual, path.replace(/\/+$/, ''));
  return found.kind === 'page' ? redirect(addressOf(found.page)) : undefined;
}

function missing(manual: Manual, path: string): Answer {
  const question = path.split('/').at(-1) ?? '';
  const html = `<h1>There is no such page</h1>
<p>The manual has no page <code>${escapeHtml(path.slice(0, 200))}</code>.</p>
${hitsHtml(search(manual, question, FEW), question)}`;
  return {
    status: 404,
    type: HTML,
    body: layout(manual, { title: 'Not found', html, question: question.slice(0, 200) }),
  };
}

/** The beginning of docs/README.md, and the topics with every page there is. */
function frontHtml(manual: Manual): string {
  const beginning = manual.front.text.split(/^## /m, 1)[0] ?? '';
  const topics = manual.topics.map(({ title, pages }) => {
    const isCodes = pages.length > 30;
    const rows = pages.map((page) => {
      const line = isCodes || page.line === '' ? '' : `<p>${escapeHtml(page.line)}</p>`;
      return `<li><a href="${escapeHtml(addressOf(page))}">${escapeHtml(page.title)}</a>${line}</li>`;
    });
    return `<section><h2>${escapeHtml(title)}</h2><ul${isCodes ? ' class="codes"' : ''}>${rows.join('')}</ul></section>`;
  });
  const html = `${render(manual, manual.front, beginning).html}<div class="topics">${topics.join('\n')}</div>`;
  return layout(manual, { title: '', html, page: manual.front });
}

function pageHtml(manual: Manual, page: Page): string {
  const { html, headings } = render(manual, page);
  return layout(manual, { title: page.title, html, page, headings });
}

function answerSearch(manual: Manual, query: URLSearchParams): Answer {
  const question = (query.get('q') ?? '').slice(0, 200).trim();
  if (query.get('part') !== null) return ok(hitsHtml(search(manual, question, FEW), question), HTML);
  const hits = hitsHtml(search(manual, question), question);
  const html = `<h1>${question === '' ? 'Search' : `Search: ${escapeHtml(question)}`}</h1>\n${hits}`;
  return ok(layout(manual, { title: 'Search', html, question }), HTML);
}

function hitsHtml(hits: readonly Hit[], question: string): string {
  if (wordsOf(question).length === 0) return '<p class="none">Give a word to look for.</p>';
  if (hits.length === 0) return `<p class="none">Nothing says “${escapeHtml(question)}”.</p>`;
  const rows = hits.map(({ section: { page, id, title }, excerpt }) => {
    const place = id === '' ? page.title : `${page.title} › ${title}`;
    return `<li><a href="${escapeHtml(addressOf(page, id))}"><b>${marked(place, question)}</b><span>${marked(excerpt, question)}</span></a></li>`;
  });
  return `<ol class="hits">${rows.join('')}</ol>`;
}

/** A text with what was asked for marked, where a word begins with it. */
function marked(text: string, question: string): string {
  const words = wordsOf(question).map((word) => word.replace(/[$.*+?^()[\]{}|\\]/g, '\\$&'));
  return text
    .split(new RegExp(`(?<![\\p{L}\\p{N}_$])(${words.join('|')})`, 'giu'))
    .map((part, index) => (index % 2 === 1 ? `<mark>${escapeHtml(part)}</mark>` : escapeHtml(part)))
    .join('');
}

/** The pages for assistants: https://llmstxt.org. */
function indexText(manual: Manual): string {
  const topics = manual.topics.map(({ title, pages }) => {
    const rows = pages.map(
      (page) => `- [${page.title}](${BASE}/${page.file})${page.line === '' ? '' : `: ${page.line}`}`,
    );
    return `## ${title}\n\n${rows.join('\n')}`;
  });
  const about =
    '# fwk\n\n> A file-based web framework for Node in TypeScript: package `fwkit`, command `fwk`.';
  return `${[about, ...topics].join('\n\n')}\n`;
}

const fullText = (manual: Manual): string =>
  [manual.front, ...manual.pages.values()]
    .map((page) => `<!-- ${page.shown} -->\n\n${page.text.trim()}\n`)
    .join('\n');

/** What one page of the site is made of. */
interface Sheet {
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
function layout(manual: Manual, { title, html, page, headings = [], question = '' }: Sheet): string {
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
