import { readFileSync } from 'node:fs';
import { escapeHtml } from '../../../plugins/http/errors/error-page.js';
import { find } from '../find.js';
import type { Manual, Page } from '../pages.js';
import { type Hit, search } from '../search.js';
import { wordsOf } from '../words.js';
import { layout } from './layout.js';
import { addressOf, BASE, render } from './render.js';

/** What a request of the site is answered with. */
export interface Answer {
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
