import { STATUS_CODES } from 'node:http';
import type { HttpResponse } from '../response/response.js';

/** The message of a failure that clients learn nothing of: its reason is logged. */
export const UNEXPECTED_FAILURE = 'Something went wrong on the server';

/** Make a response that may have been begun ready for an error. `varies`: its format depends on `Accept`. */
export function resetForError(res: HttpResponse, status: number, varies = true): void {
  res.status(status).dropForError(status);
  if (varies) res.header('Vary', 'Accept');
}

/** The reason phrase of a status (RFC 9110 §15). */
export const titleOf = (status: number): string => STATUS_CODES[status] ?? 'Error';
