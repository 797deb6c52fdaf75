import type { Readable } from 'node:stream';
import { HttpProblem } from '../errors/errors.js';

/** Gets an HttpProblem that nobody listens for: what broke is told to the client. */
export type Lost = (refusal: HttpProblem) => void;

/** A stream that is given to users' code: one that breaks must not end the process, nor leave its client waiting. */
export function heard<S extends Readable>(stream: S, lost: Lost): S {
  return stream.on('error', (failure) => {
    if (failure instanceof HttpProblem && stream.listenerCount('error') === 1) lost(failure);
  });
}
