import type { Project } from '../../kernel/index.js';
import { refuse } from './answer.js';
import { isHttpError, Refusal } from './errors.js';
import type { Fallback, Unrouted } from './fallback.js';
import type { CloveResponse } from './response.js';

/** Ask one after the other; `otherwise` answers when none does. */
export async function askFallbacks(
  fallbacks: readonly Fallback[],
  request: Unrouted,
  res: CloveResponse,
  project: Project,
  otherwise: () => void,
): Promise<void> {
  try {
    for (const fallback of fallbacks) if (await fallback(request, res)) return;
    otherwise();
  } catch (thrown) {
    if (thrown instanceof Refusal) return refuse(thrown, request.raw, res);
    if (isHttpError(thrown) && !res.sent) return res.status(thrown.status).type('json').json(thrown.body);
    project.logger.error(`${request.method} ${request.path} failed outside of the routes:`, thrown);
    refuse(new Refusal(500, 'Something went wrong on the server'), request.raw, res);
  }
}
