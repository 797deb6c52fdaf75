import { channel } from 'node:diagnostics_channel';
import { coded } from '../../kernel/index.js';

/** Every copy of the package in a process, and every app, hears of it. */
const purges = channel('fwkit.cache.purge');

/**
 * Drop what routes with `.meta({ cache: { tags } })` have cached, where it has one of `tags`. At once in this process, and in the other
 * workers as soon as they hear of it; what is being computed is not kept either.
 */
export function purge(...tags: string[]): void {
  if (tags.length === 0 || !tags.every((tag) => typeof tag === 'string'))
    throw coded('FWK406', new TypeError("purge() takes the tags of what to drop: purge('books')"));
  purges.publish(tags);
}

/** Hear of what is to be dropped. Returns a function that ends it. */
export function onPurge(drop: (tags: readonly string[]) => void): () => void {
  const listener = (tags: unknown): void => drop(tags as readonly string[]);
  purges.subscribe(listener);
  return () => void purges.unsubscribe(listener);
}
