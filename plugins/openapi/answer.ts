import { type Project, slotKey } from '../../kernel/index.js';
import { onDemand } from '../../loader/index.js';
import type { HttpResponse } from '../http/index.js';
import { pageKit } from '../http/internal.js';
import { makeDocument } from './document/document.js';
import { toText } from './document/json-schema.js';
import { type DocumentSettings, describedOf } from './settings.js';

const DOCUMENTS = slotKey<Map<string, () => Promise<string>>>('openapi.documents');

/** The text of a version's document, built on first use. */
function documentOf(project: Project, settings: DocumentSettings): () => Promise<string> {
  const known = project.slot(DOCUMENTS, () => new Map());
  const found =
    known.get(settings.path) ??
    onDemand(async () =>
      toText((await makeDocument(describedOf(project).routes, project, settings)).document),
    );
  known.set(settings.path, found);
  return found;
}

/** Send a document. Another version may have a different document, so clients revalidate it. */
export async function sendDocument(
  project: Project,
  settings: DocumentSettings,
  res: HttpResponse,
): Promise<void> {
  const text = await documentOf(project, settings)();
  res.type('application/json').header('Cache-Control', 'no-cache').send(text);
}

const page = onDemand(async () => (await pageKit()).readPage('openapi-docs.html'));

export async function sendPage({ path, pagePath = '' }: DocumentSettings, res: HttpResponse): Promise<void> {
  const { html, policy } = await page();
  // Relative, so that the links work in an app that is mounted below a path.
  const root = '../'.repeat(pagePath.split('/').length - 2) || './';
  const linked = html
    .replaceAll('../openapi.json', root + path.slice(1))
    .replace('data-root="../"', `data-root="${root}"`);
  res.type('html').header('Cache-Control', 'no-cache').header('Content-Security-Policy', policy).send(linked);
}
