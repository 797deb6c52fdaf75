import type { IncomingMessage, RequestListener } from 'node:http';
import type { Notice, Project } from '../../../../kernel/index.js';
import { redactSecretValues } from '../../../../scope/index.js';
import { readableFormatFor } from '../../request/accept.js';
import { HttpProblem } from '../../request/http-error.js';
import type { HttpRequest } from '../../request/request.js';
import { HttpResponse } from '../../response/response.js';
import { resetForError, titleOf } from '../error-page.js';
import { errorHtml, mistakesHtml, unknownHtml } from './html.js';
import { type OpenPages, sendReloading } from './page-reload.js';
import { errorJson, errorText, noticeText, reportOf } from './report.js';
import { type ListedRoute, similarRoutes } from './similar-routes.js';

export function showError(thrown: unknown, req: HttpRequest, res: HttpResponse, project: Project): void {
  const report = reportOf(thrown, req, project);
  resetForError(res, 500);
  res.header('Cache-Control', 'no-store');
  const format = readableFormatFor(req.raw.headers);
  if (format === 'html') sendReloading(res, redactSecretValues(errorHtml(report)), project);
  else if (format === 'text') res.type('text').send(redactSecretValues(errorText(report)));
  else res.type('application/problem+json').send(redactSecretValues(JSON.stringify(errorJson(report))));
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
  const requested = { method: raw.method ?? 'GET', path: raw.url?.split('?', 1)[0] ?? '/' };
  const similar = similarRoutes(requested.path, routes).map((route) => ({
    label: route.label,
    file: project.display(route.file),
  }));
  const html = unknownHtml({ title: titleOf(status), status, message, ...requested, similar, project });
  sendReloading(res, html, project);
}

const MESSAGE = 'The project has mistakes that keep it from being served';

/** Answers all requests with the mistakes of a project that has not served yet. Pages reload when it does. */
export function mistakesListener(notices: readonly Notice[], pages: OpenPages): RequestListener {
  const problem = new HttpProblem(500, MESSAGE, notices);
  const html = mistakesHtml(MESSAGE, notices);
  pages.begin(problem);
  return (raw, out) => {
    const res = new HttpResponse(out);
    resetForError(res, problem.status);
    res.header('Cache-Control', 'no-store');
    const format = readableFormatFor(raw.headers);
    if (format === 'html') sendReloading(res, html, problem);
    else if (format === 'text') res.type('text').send(`${MESSAGE}:\n${notices.map(noticeText).join('\n')}\n`);
    else res.type('application/problem+json').send(problem.problem);
  };
}
