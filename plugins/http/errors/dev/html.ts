import { hasPage, type Notice, type Project } from '../../../../kernel/index.js';
import type { Excerpt, Frame, Trace } from '../../../../loader/index.js';
import { escapeHtml, page, titleOf } from '../error-page.js';
import type { Report } from './report.js';

/** Colours are mixed from the text's own, so that they fit the reader's choice of light or dark. */
const STYLE = `
body { margin: 2rem auto }
h1 { margin: .3rem 0 1rem; white-space: pre-wrap }
h2 { font-size: 1rem; margin: 1.6rem 0 .5rem; overflow-wrap: anywhere; white-space: pre-wrap }
.status { color: light-dark(#c22, #f66); font-weight: 600; margin: 0 }
.note { border: 1px solid #d90; border-radius: 6px; margin-bottom: 1.5rem; padding: .2rem 1rem }
.place { margin: 0 0 .3rem }
code, pre, td { font: .875rem/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
pre { background: #8881; border-radius: 6px; margin: 0; overflow-x: auto; padding: .6rem 0; tab-size: 4 }
pre span, pre mark { display: block; min-width: max-content; padding-right: 1rem; white-space: pre }
pre i { display: inline-block; font-style: normal; opacity: .7; padding-right: 1rem; text-align: right; user-select: none; width: 3rem }
mark { background: #d332; color: inherit }
mark b { text-decoration: underline wavy #d33; text-decoration-skip-ink: none; text-underline-offset: 3px }
.stack { list-style: none; margin: .8rem 0 0; padding: 0; overflow-wrap: anywhere }
.project { font-weight: 600 }
.package, .node { opacity: .7 }
table { border-collapse: collapse; width: 100% }
th, td { border-top: 1px solid #8883; padding: .25rem 1rem .25rem 0; text-align: left; vertical-align: top }
th { font-size: .875rem; font-weight: 500; white-space: nowrap }
p { overflow-wrap: anywhere }
td { overflow-wrap: anywhere; width: 100% }
`;

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

function list(notices: readonly Notice[]): string {
  const items = notices.map(
    ({ code, message }) =>
      `<li>${code === undefined ? '' : `<code>${escapeHtml(code)}</code> `}${escapeHtml(message)}</li>`,
  );
  const documented = notices.map(({ code }) => code).find(hasPage);
  const more = documented && `<p>Read more: <code>npx fwk docs ${escapeHtml(documented)}</code></p>`;
  return `<ul>${items.join('')}</ul>${more ?? ''}`;
}

const outdatedHtml = (notices: readonly Notice[]): string =>
  notices.length === 0
    ? ''
    : `<div class="note"><p>The last edit is not served; this is the version before it:</p>
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
  return `<p class="place"><code>${escapeHtml(`${file}:${line}:${column}`)}</code></p>
<pre class="source" tabindex="0">${drawn.join('')}</pre>`;
}

const frameHtml = (frame: Frame): string =>
  `<li class="${frame.origin}"><code>${escapeHtml(frame.text)}</code></li>`;

const table = (rows: readonly (readonly [name: string, value: string])[]): string =>
  `<table>\n${rows.map(([name, value]) => `<tr><th>${escapeHtml(name)}<td>${escapeHtml(value)}`).join('\n')}\n</table>`;
