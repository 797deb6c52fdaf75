import type { Notice, ProblemCode } from '../../../../kernel/index.js';
import { manualUrl } from '../../request/manual-url.js';
import { escapeHtml } from '../error-page.js';

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
