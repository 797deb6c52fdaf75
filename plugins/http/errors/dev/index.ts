import type { IncomingMessage } from 'node:http';
import type { Project } from '../../../../kernel/index.js';
import { readableFormatFor } from '../../request/accept.js';
import type { HttpProblem } from '../../request/http-error.js';
import type { HttpRequest } from '../../request/request.js';
import type { HttpResponse } from '../../response/response.js';
import { resetForError, titleOf } from '../error-page.js';
import { errorHtml, unknownHtml } from './html.js';
import { sendReloading } from './page-reload.js';
import { reportOf } from './report.js';
import { type ListedRoute, nearest } from './similar-routes.js';
import { errorJson, errorText } from './text.js';

export function showError(thrown: unknown, req: HttpRequest, res: HttpResponse, project: Project): void {
  const report = reportOf(thrown, req, project);
  resetForError(res, 500);
  res.header('Cache-Control', 'no-store');
  const format = readableFormatFor(req.raw.headers);
  if (format === 'html') sendReloading(res, errorHtml(report), project);
  else if (format === 'text') res.type('text').send(errorText(report));
  else res.type('application/problem+json').json(errorJson(report));
}

/** Answer a request that matches no route with a page that lists the most similar routes. */
export function showUnknown(
  { status, message }: HttpProblem,
  raw: IncomingMessage,
  res: HttpResponse,
  routes: readonly ListedRoute[],
  project: Project,
): void {
  resetForError(res, status);
  const asked = { method: raw.method ?? 'GET', path: raw.url?.split('?', 1)[0] ?? '/' };
  const similar = nearest(asked.path, routes).map((route) => ({
    label: route.label,
    file: project.display(route.file),
  }));
  const html = unknownHtml({ title: titleOf(status), status, message, ...asked, similar: similar, project });
  sendReloading(res, html, project);
}
