import { MAX_MS } from '../options.js';
import type { RouteMeta } from '../request/route-info.js';

/** Mistakes in the keys of `.meta()` that the framework itself reads, one sentence each. */
export function metaMistakes({ bodyLimit, body, checkResponse, timeout }: RouteMeta): string[] {
  const mistakes: string[] = [];
  if (bodyLimit !== undefined && !(Number.isSafeInteger(bodyLimit) && bodyLimit >= 0))
    mistakes.push(
      `has .meta({ bodyLimit: ${show(bodyLimit)} }). Make it a whole number of bytes, at least 0, or leave it out.`,
    );
  if (body !== undefined && body !== 'stream')
    mistakes.push(`has .meta({ body: ${show(body)} }). Make it "stream" or leave it out.`);
  if (checkResponse !== undefined && typeof checkResponse !== 'boolean')
    mistakes.push(
      `has .meta({ checkResponse: ${show(checkResponse)} }). Make it true or false, or leave it out.`,
    );
  if (timeout !== undefined && !(Number.isSafeInteger(timeout) && timeout >= 0 && timeout <= MAX_MS))
    mistakes.push(
      `has .meta({ timeout: ${show(timeout)} }). Make it a whole number of milliseconds, from 0 to ${MAX_MS}, or leave it out.`,
    );
  return mistakes;
}

const show = (value: unknown): string =>
  typeof value === 'string' || (typeof value === 'object' && value !== null)
    ? JSON.stringify(value)
    : typeof value === 'function'
      ? 'a function'
      : String(value);
