import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Project, slotKey } from '../../kernel/index.js';
import { onDemand } from '../../loader/index.js';
import type { HttpResponse } from '../http/index.js';
import { makeDocument } from './document/document.js';
import { toText } from './document/json-schema.js';
import { routesOf, settingsOf } from './settings.js';

const DOCUMENT = slotKey<() => Promise<string>>('openapi.document');

/** The text of the document of a version, made when it is first asked for. */
const documentOf = (project: Project): (() => Promise<string>) =>
  project.slot(DOCUMENT, () =>
    onDemand(async () =>
      toText((await makeDocument(routesOf(project), project, settingsOf(project))).document),
    ),
  );

/** Send `/openapi.json`. Another version may have another: clients ask whether it changed. */
export async function sendDocument(project: Project, res: HttpResponse): Promise<void> {
  const text = await documentOf(project)();
  res.type('application/json').header('Cache-Control', 'no-cache').send(text);
}

/** Send the page that shows it. */
export async function sendPage(res: HttpResponse): Promise<void> {
  const { html, policy } = await readPage();
  res.type('html').header('Cache-Control', 'no-cache').header('Content-Security-Policy', policy).send(html);
}

/** The page, and the Content-Security-Policy that allows only what the page needs. */
interface Page {
  readonly html: string;
  readonly policy: string;
}

/** The page is one file beside the bundle, made of `page/`. */
const readPage = onDemand(async (): Promise<Page> => {
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
