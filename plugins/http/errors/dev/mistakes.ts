import type { RequestListener } from 'node:http';
import type { Notice } from '../../../../kernel/index.js';
import { readableFormatFor } from '../../request/accept.js';
import { HttpProblem } from '../../request/http-error.js';
import { HttpResponse } from '../../response/response.js';
import { resetForError } from '../error-page.js';
import { mistakesHtml } from './html.js';
import { type OpenPages, sendReloading } from './page-reload.js';
import { noticeText } from './text.js';

const MESSAGE = 'The project has mistakes that keep it from being served';

/** Answers all requests with what is wrong with a project of which no version has served yet. Pages load themselves again when one does. */
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
