import type { Notice } from '../../../../kernel/index.js';
import { titleOf } from '../error-page.js';
import type { Report } from './report.js';

export const noticeText = ({ code, message }: Notice): string =>
  code === undefined ? message : `${code} ${message}`;

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

/** The report as a problem document (RFC 9457). The fields other than `message` are sent in development only. */
export function errorJson({ error, route, file, chain, outdated }: Report): object {
  const [{ message, code }] = error.traces;
  const [first, ...causes] = error.traces.map(({ headline, frames }) => ({
    error: headline,
    stack: frames.map(({ text }) => text),
  }));
  const facts = {
    ...(code && { code }),
    status: 500,
    title: titleOf(500),
    message,
    ...first,
    causes,
    route,
    file,
    chain,
  };
  return outdated.length === 0 ? facts : { ...facts, outdated };
}
