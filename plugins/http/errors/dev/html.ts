import type { Excerpt, Frame, Notice, Project, Trace } from '../../../../kernel/index.js';
import { escapeHtml, page } from '../error-page.js';
import { titleOf } from '../error-response.js';
import { codeHtml } from './manual.js';
import type { Report } from './report.js';
import { STYLE } from './style.js';

/** The report as a page. */
export function errorHtml(report: Report): string {
  const { traces } = report.error;
  const { method, url, headers, route, file, chain } = report;
  const body = [
    outdatedHtml(report.outdated),
    `<p class="status">500 ${titleOf(500)}</p>`,
    ...traces.map(traceHtml),
    '<h2>Route</h2>',
    table([
      ['Route', route],
      ['File', file],
      ['Middlewares', chain.join(' → ') || 'none'],
    ]),
    '<h2>Request</h2>',
    table([[method, url], ...headers]),
  ];
  return page(traces[0].headline, body.join('\n'), STYLE);
}

/** The page of a request that no route answers. */
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
    `<p class="status">${status} ${escapeHtml(title)}</p>`,
    `<h1>${escapeHtml(message)}</h1>`,
    `<p><code>${escapeHtml(`${method} ${path}`)}</code></p>`,
    near.length === 0 ? '<p>No route is like it.</p>' : '<h2>Near it</h2>',
    near.length === 0 ? '' : table(near.map(({ label, file }) => [label, file])),
  ];
  return page(`${status} ${title}`, body.join('\n'), STYLE);
}

/** The page of a project that cannot be served. */
export const mistakesHtml = (message: string, notices: readonly Notice[]): string =>
  page(
    message,
    `<p class="status">500 ${titleOf(500)}</p>
<h1>${escapeHtml(message)}</h1>
${list(notices)}`,
    STYLE,
  );

const list = (notices: readonly Notice[]): string =>
  `<ul>${notices.map(({ code, message }) => `<li>${codeHtml(code)}${escapeHtml(message)}</li>`).join('')}</ul>`;

const outdatedHtml = (notices: readonly Notice[]): string =>
  notices.length === 0
    ? ''
    : `<div class="note"><p>The last edit is not served; this is the version before it:</p>
${list(notices)}</div>`;

function traceHtml(trace: Trace, index: number): string {
  const { code, excerpt, frames } = trace;
  const title = escapeHtml(trace.headline);
  const link = codeHtml(code);
  return [
    index === 0 ? `<h1>${title}</h1>` : `<h2>Caused by ${title}</h2>`,
    link && `<p class="code">${link}</p>`,
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
  return `<p class="place"><code>${escapeHtml(`${file}:${line}:${column}`)}</code></p>
<pre class="source" tabindex="0">${drawn.join('')}</pre>`;
}

const frameHtml = (frame: Frame): string =>
  `<li class="${frame.origin}"><code>${escapeHtml(frame.text)}</code></li>`;

const table = (rows: readonly (readonly [name: string, value: string])[]): string =>
  `<table>\n${rows.map(([name, value]) => `<tr><th>${escapeHtml(name)}<td>${escapeHtml(value)}`).join('\n')}\n</table>`;
