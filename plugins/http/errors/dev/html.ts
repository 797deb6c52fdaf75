import { hasPage, type Notice, type Project } from '../../../../kernel/index.js';
import type { Excerpt, Frame, Trace } from '../../../../loader/index.js';
import { pageStyle } from '../../page-kit/page.js';
import { escapeHtml, page, titleOf } from '../error-page.js';
import type { Report } from './report.js';

const DEV_STYLE = `
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
h1 { font-size: 1.4rem; margin: .3rem 0 1rem; white-space: pre-wrap }
h2 { font-size: 1rem; margin: 1.6rem 0 .5rem; white-space: pre-wrap }
.note:not(:empty) { margin: 0 0 1.5rem }
.source, .stack, .place { font-size: .9rem; line-height: 1.7 }
.stack { margin-top: .8rem }
`;

const devPage = (title: string, body: string): string => page(title, body, pageStyle() + DEV_STYLE);

export function errorHtml(report: Report): string {
  const { traces } = report.error;
  const { method, url, headers, route, file, chain } = report;
  const body = [
    outdatedHtml(report.outdated),
    `<strong class="bad">500 ${titleOf(500)}</strong>`,
    ...traces.map(traceHtml),
    '<h2>Route</h2>',
    facts([
      ['Route', route],
      ['File', file],
      ['Middlewares', chain.join(' → ') || 'none'],
    ]),
    '<h2>Request</h2>',
    facts([[method, url], ...headers]),
  ];
  return devPage(traces[0].headline, body.join('\n'));
}

export interface Unknown {
  readonly status: number;
  readonly title: string;
  readonly message: string;
  readonly method: string;
  readonly path: string;
  readonly similar: readonly { readonly label: string; readonly file: string }[];
  readonly project: Project;
}

export function unknownHtml({
  status,
  title,
  message,
  method,
  path,
  similar: near,
  project,
}: Unknown): string {
  const body = [
    outdatedHtml(project.run.staleNotices),
    `<strong class="bad">${status} ${escapeHtml(title)}</strong>`,
    `<h1>${escapeHtml(message)}</h1>`,
    `<p><code>${escapeHtml(`${method} ${path}`)}</code></p>`,
    near.length === 0 ? '<p>No route is similar.</p>' : '<h2>Similar routes</h2>',
    ...near.map(
      ({ label, file }) => `<div class="item"><code>${escapeHtml(label)}</code> ${escapeHtml(file)}</div>`,
    ),
  ];
  return devPage(`${status} ${title}`, body.join('\n'));
}

export const mistakesHtml = (message: string, notices: readonly Notice[]): string =>
  devPage(
    message,
    `<strong class="bad">500 ${titleOf(500)}</strong>
<h1>${escapeHtml(message)}</h1>
${list(notices)}`,
  );

function list(notices: readonly Notice[]): string {
  const items = notices.map(
    ({ code, message }) =>
      `<li>${code === undefined ? '' : `<code>${escapeHtml(code)}</code> `}${escapeHtml(message)}</li>`,
  );
  const documented = notices.map(({ code }) => code).find(hasPage);
  const more = documented && `<p>Read more: <code>npx fwk docs ${escapeHtml(documented)}</code></p>`;
  return `<ul class="problems">${items.join('')}</ul>${more ?? ''}`;
}

const outdatedHtml = (notices: readonly Notice[]): string =>
  notices.length === 0
    ? ''
    : `<div class="note">The last edit is not served, because it has mistakes. This is the previous version:
${list(notices)}</div>`;

function traceHtml(trace: Trace, index: number): string {
  const { code, excerpt, frames } = trace;
  const title = escapeHtml(trace.headline);
  const more = hasPage(code) ? `npx fwk docs ${code}` : code;
  return [
    index === 0 ? `<h1>${title}</h1>` : `<h2>Caused by ${title}</h2>`,
    more && `<p><code>${escapeHtml(more)}</code></p>`,
    excerpt ? excerptHtml(excerpt) : '',
    frames.length === 0 ? '' : `<ol class="stack">\n${frames.map(frameHtml).join('\n')}\n</ol>`,
  ].join('\n');
}

function excerptHtml({ file, line, column, caret, rows }: Excerpt): string {
  const drawn = rows.map(({ number, text }) =>
    number === line
      ? `<mark><i>${number}</i>${escapeHtml(text.slice(0, caret - 1))}<b>${escapeHtml(text.slice(caret - 1))}</b></mark>`
      : `<span><i>${number}</i>${escapeHtml(text)}</span>`,
  );
  return `<p class="place">${escapeHtml(`${file}:${line}:${column}`)}</p>
<pre class="source" tabindex="0">${drawn.join('')}</pre>`;
}

const frameHtml = (frame: Frame): string => `<li class="${frame.origin}">${escapeHtml(frame.text)}</li>`;

const facts = (rows: readonly (readonly [name: string, value: string])[]): string =>
  `<dl class="facts">\n${rows.map(([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`).join('\n')}\n</dl>`;
