import { onDemand, type Project } from '../../kernel/index.js';
import type { HttpResponse } from '../http/index.js';
import { makeDocument } from './document/document.js';
import { toText } from './document/json-value.js';
import { readPage } from './page.js';
import { routesOf, settingsOf } from './settings.js';

/** The text of the document of a version, made when it is first asked for. */
const documentOf = (project: Project): (() => Promise<string>) =>
  project.slot('openapi.document', () =>
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
