import type { Notice, ProblemCode } from '../../../../kernel/index.js';
import { manualUrl, problemType } from '../../request/http-error.js';
import { escapeHtml, titleOf } from '../error-page.js';
import type { Report } from './report.js';

/** A code, which leads to its page; '' for none. */
export function codeHtml(code: ProblemCode | undefined): string {
  if (code === undefined) return '';
  const url = manualUrl(code);
  return url === undefined
    ? `<code>${escapeHtml(code)}</code> `
    : `<a href="${url}">${escapeHtml(code)}</a> `;
}

/** `FWK103 src/…: …` */
export const noticeText = ({ code, message }: Notice): string =>
  code === undefined ? message : `${code} ${message}`;

/** The report for a terminal. */
export function errorText(report: Report): string {
  const { route, file, chain, method, url, headers, outdated, error } = report;
  const facts = [
    ['Route', route],
    ['File', file],
    ['Middlewares', chain.join(' → ') || 'none'],
    ['Request', `${method} ${url}`],
    ...headers.map(([name, value]) => [`  ${name}`, value]),
  ];
  const width = Math.max(...facts.map(([name = '']) => name.length));
  return [
    ...outdated.map((notice) => `The last edit is not served: ${noticeText(notice)}\n`),
    `${error.describe()}\n`,
    ...facts.map(([name = '', value]) => `${name.padEnd(width)}  ${value}`),
    '',
  ].join('\n');
}

/** The report as a problem document (RFC 9457); what is beyond `message` is there in development only. */
export function errorJson({ error, route, file, chain, outdated }: Report): object {
  const [{ message, code }] = error.traces;
  const [first, ...causes] = error.traces.map(({ headline, frames }) => ({
    error: headline,
    stack: frames.map(({ text }) => text),
  }));
  const facts = {
    ...problemType(code),
    status: 500,
    title: titleOf(500),
    message,
    ...first,
    causes,
    route,
    file,
    chain,
  };
  return outdated.length === 0
    ? facts
    : { ...facts, outdated: outdated.map((notice) => ({ ...notice, ...problemType(notice.code) })) };
}
