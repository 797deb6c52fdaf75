import type { RequestListener } from 'node:http';
import { readableFormFor } from '../accept.js';
import { Refusal } from '../errors.js';
import { prepare } from '../page.js';
import { CloveResponse } from '../response.js';
import { onlyFor } from './hosts.js';
import { type OpenPages, sendReloading } from './open-pages.js';
import { mistakesHtml } from './page.js';

const MESSAGE = 'The project has mistakes that keep it from being served';

/**
 * Answers all requests with what is wrong with a project of which no version has served yet. Pages load themselves again
 * when one does.
 */
export function mistakesListener(
  host: string,
  sentences: readonly string[],
  pages: OpenPages,
): RequestListener {
  const refusal = new Refusal(500, MESSAGE, sentences);
  const html = mistakesHtml(MESSAGE, sentences);
  pages.begin(refusal);
  const listener: RequestListener = (raw, out) => {
    const res = new CloveResponse(out);
    prepare(res, refusal.status);
    res.header('Cache-Control', 'no-store');
    const form = readableFormFor(raw.headers);
    if (form === 'html') sendReloading(res, html, refusal);
    else if (form === 'text') res.type('text').send(`${MESSAGE}:\n${sentences.join('\n')}\n`);
    else res.type('application/problem+json').send(refusal.problem);
  };
  // Which other names the config allows is not known.
  const advice = 'The terminal tells what keeps the project from being served';
  return onlyFor({ host, allowed: [], advice }, pages.before(listener));
}
