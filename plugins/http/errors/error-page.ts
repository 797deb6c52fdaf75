import { STATUS_CODES } from 'node:http';
import type { HttpResponse } from '../response/response.js';

/** The Content-Security-Policy of error pages: no scripts and no external resources, even if a text was not escaped. */
export const ERROR_PAGE_CSP =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

export function sendPage(res: HttpResponse, html: string, policy = ERROR_PAGE_CSP): void {
  res.header('Content-Security-Policy', policy).type('html').send(html);
}

/** A complete page. `title` is text; `body` and `style` are inserted as HTML and CSS without escaping. */
export const page = (title: string, body: string, style = ''): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>:root { background: canvas; color: canvastext; color-scheme: light dark }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 10vh auto; max-width: 60rem; padding: 0 1rem }
h1 { font-size: 1.4rem; overflow-wrap: anywhere }${style}</style>
<main>
${body}
</main>
`;

export const errorPage = (
  status: number,
  title: string,
  message: string,
  mistakes: readonly string[] = [],
): string => {
  const items = mistakes.map((mistake) => `\n<li>${escapeHtml(mistake)}`).join('');
  return page(
    `${status} ${title}`,
    `<h1>${status} ${escapeHtml(title)}</h1>${message === '' ? '' : `\n<p>${escapeHtml(message)}</p>`}${items && `\n<ul>${items}\n</ul>`}`,
  );
};

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escape `text` for HTML, between tags or inside a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

/** The message of a failure whose reason is logged and hidden from clients. */
export const UNEXPECTED_FAILURE = 'Something went wrong on the server';

/** Reset a response that a handler may have prepared, so that it can carry an error. `varies`: the format depends on `Accept`. */
export function resetForError(res: HttpResponse, status: number, varies = true): void {
  res.status(status).dropForError(status);
  if (varies) res.header('Vary', 'Accept');
}

/** The reason phrase of a status (RFC 9110 §15). */
export const titleOf = (status: number): string => STATUS_CODES[status] ?? 'Error';
