import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

export interface Page {
  readonly html: string;
  readonly policy: string;
}

/** `more`: directives of the policy in addition to the directives that every page has. */
export async function readPage(name: string, ...more: string[]): Promise<Page> {
  const html = await readFile(new URL(`./${name}`, import.meta.url), 'utf8');
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(html, 'script')}`,
    `style-src ${hashOf(html, 'style')}`,
    "connect-src 'self'",
    'img-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    ...more,
  ];
  return { html, policy: policy.join('; ') };
}

function hashOf(html: string, element: string): string {
  const text = html.slice(html.indexOf(`<${element}>`) + element.length + 2, html.indexOf(`</${element}>`));
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

let style: string | undefined;

/** The style sheet of server-rendered pages, a file next to the bundle. Read on first use. */
export const pageStyle = (): string => {
  style ??= readFileSync(new URL('./page.css', import.meta.url), 'utf8');
  return style;
};
