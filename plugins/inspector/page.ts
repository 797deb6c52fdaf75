import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { onDemand } from '../../kernel/index.js';

/** The page is one file beside the bundle, made of `page/`. Its policy allows what is in it, and nothing else. */
export const readPage = onDemand(async () => {
  const html = await readFile(new URL('./inspector.html', import.meta.url), 'utf8');
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(html, 'script')}`,
    `style-src ${hashOf(html, 'style')}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ];
  return { html, policy: policy.join('; ') };
});

/** The hash of what is within an element (CSP 3 §2.3.1). */
function hashOf(html: string, element: string): string {
  const text = html.slice(html.indexOf(`<${element}>`) + element.length + 2, html.indexOf(`</${element}>`));
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
