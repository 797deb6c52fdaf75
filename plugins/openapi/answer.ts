import { type Project, slotKey } from '../../kernel/index.js';
import { onDemand } from '../../loader/index.js';
import type { HttpResponse } from '../http/index.js';
import { pageKit } from '../http/internal.js';
import { makeDocument } from './document/document.js';
import { toText } from './document/json-schema.js';
import { describedOf, settingsOf } from './settings.js';

const DOCUMENT = slotKey<() => Promise<string>>('openapi.document');

/** The text of a version's document, built on first use. */
const documentOf = (project: Project): (() => Promise<string>) =>
  project.slot(DOCUMENT, () =>
    onDemand(async () =>
      toText((await makeDocument(describedOf(project).routes, project, settingsOf(project))).document),
    ),
  );

/** Send `/openapi.json`. Another version may have a different document, so clients revalidate it. */
export async function sendDocument(project: Project, res: HttpResponse): Promise<void> {
  const text = await documentOf(project)();
  res.type('application/json').header('Cache-Control', 'no-cache').send(text);
}

const page = onDemand(async () => (await pageKit()).readPage('openapi-docs.html'));

export async function sendPage(res: HttpResponse): Promise<void> {
  const { html, policy } = await page();
  res.type('html').header('Cache-Control', 'no-cache').header('Content-Security-Policy', policy).send(html);
}
