import type { Notice, Project } from '../../../../kernel/index.js';
import { type Explanation, explain } from '../../../../loader/index.js';
import type { HttpRequest } from '../../request/request.js';
import { titleOf } from '../error-page.js';

export interface Report {
  readonly error: Explanation;
  readonly route: string;
  readonly file: string;
  /** Files of the middlewares around the route, outermost first. */
  readonly chain: readonly string[];
  readonly method: string;
  readonly url: string;
  /** Names and values; credentials are redacted. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly outdated: readonly Notice[];
}

export function reportOf(thrown: unknown, req: HttpRequest, project: Project): Report {
  const { route, raw } = req;
  return {
    error: explain(thrown, project.root),
    route: route.label ?? 'none',
    file: route.file === undefined ? 'none' : project.display(route.file),
    chain: (route.chain ?? []).map((file) => project.display(file)),
    method: req.method,
    url: withoutSecrets(raw.url ?? '/'),
    headers: Object.entries(raw.headers).map(([name, value]) => [
      name,
      redacted(name, withoutSecrets(String(value))),
    ]),
    outdated: project.run.staleNotices,
  };
}

const CREDENTIALS = /^(proxy-)?authorization$|^cookie$|token|secret|api[-_]?key|passw/i;

/** Redact the credentials in the query parameters of URLs in a text. */
const withoutSecrets = (text: string): string =>
  text.replace(
    /([?&])([^=&?#\s]{1,200})=([^&#\s]*)/g,
    (_, mark: string, name: string, value: string) => `${mark}${name}=${redacted(name, value)}`,
  );

/** Error pages end up in screenshots: a few characters are enough to recognize a credential. */
function redacted(name: string, value: string): string {
  if (!CREDENTIALS.test(name)) return value;
  return `${value.slice(0, Math.min(8, Math.floor(value.length / 3)))}… (${value.length} characters)`;
}

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
