import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Project } from '../../kernel/index.js';
import { isHttpError, Refusal } from './errors.js';
import type { CloveRequest } from './request.js';
import type { CloveResponse } from './response.js';

/**
 * Answer a request whose handling threw, with the headers that were set so far. What was not thrown on purpose is
 * logged, and hidden in production.
 */
export function answer(thrown: unknown, req: CloveRequest, res: CloveResponse, project: Project): void {
  if (thrown instanceof Refusal) return refuse(thrown, req.raw, res);
  const expected = isHttpError(thrown);
  if (expected && !res.sent) return res.status(thrown.status).type('json').json(thrown.body);
  project.logger.error(`${req.method} ${req.path} failed in ${project.display(req.route.file)}:`, thrown);
  const hidden = project.mode !== 'development';
  const detail = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  refuse(new Refusal(500, hidden ? 'Something went wrong on the server' : detail), req.raw, res);
}

/** Answer with a problem document (RFC 9457), or with a page where the client prefers one. */
export function refuse({ status, message }: Refusal, raw: IncomingMessage, res: CloveResponse): void {
  // A part has been sent: cutting the connection is the only way left to say that the rest will not come.
  if (res.sent) return void (res.isHeld || res.raw.writableEnded || res.raw.destroy());
  res.status(status);
  const title = STATUS_CODES[status] ?? 'Error';
  if (raw.headers.accept?.includes('text/html')) res.type('html').send(page(status, title, message));
  else res.type('application/problem+json').json({ status, title, message });
}

const page = (status: number, title: string, message: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${status} ${escapeHtml(title)}</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; margin: 15vh auto; max-width: 60rem; padding: 0 1rem }
pre { white-space: pre-wrap }</style>
<h1>${status} ${escapeHtml(title)}</h1>
<pre>${escapeHtml(message)}</pre>
`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
