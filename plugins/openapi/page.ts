import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { onDemand } from '../../kernel/index.js';

/** The page, and the Content-Security-Policy that lets it do what it does and nothing else. */
interface Page {
  readonly html: string;
  readonly policy: string;
}

/** The page is one file beside the bundle, made of `page/`. */
export const readPage = onDemand(async (): Promise<Page> => {
  const html = await readFile(new URL('./openapi-docs.html', import.meta.url), 'utf8');
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(html, 'script')}`,
    `style-src ${hashOf(html, 'style')}`,
    "connect-src 'self'",
    // What a request is answered with may be a picture.
    'img-src blob: data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return { html, policy: policy.join('; ') };
});

/** The hash of what is within an element (CSP 3 §2.3.1). */
function hashOf(html: string, element: string): string {
  const text = html.slice(html.indexOf(`<${element}>`) + element.length + 2, html.indexOf(`</${element}>`));
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
