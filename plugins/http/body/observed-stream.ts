import type { Readable } from 'node:stream';
import { HttpProblem } from '../request/http-error.js';

/** Gets an HttpProblem that no listener gets, so that the client does. */
export type Lost = (problem: HttpProblem) => void;

/** A stream that is given to users' code: one that breaks must not end the process, nor leave its client waiting. */
export function observed<S extends Readable>(stream: S, lost: Lost): S {
  return stream.on('error', (failure) => {
    if (failure instanceof HttpProblem && stream.listenerCount('error') === 1) lost(failure);
  });
}
