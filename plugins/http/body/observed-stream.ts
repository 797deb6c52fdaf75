import type { Readable } from 'node:stream';
import { Refusal } from '../errors/errors.js';

/** Gets a Refusal that nobody listens for: what broke is told to the client. */
export type Lost = (refusal: Refusal) => void;

/** A stream that is given to users' code: one that breaks must not end the process, nor leave its client waiting. */
export function heard<S extends Readable>(stream: S, lost: Lost): S {
  return stream.on('error', (failure) => {
    if (failure instanceof Refusal && stream.listenerCount('error') === 1) lost(failure);
  });
}
