import { coded } from '../../../kernel/index.js';

/** The error of a value that JSON has not at all: a function, say. */
export const notJsonAtAll = (value: unknown): Error =>
  coded('FWK410', new TypeError(`a ${typeof value} cannot be sent as JSON`));

/** The error of a second response to one request. */
export const sentAlready = (): Error => coded('FWK411', new Error('the response has been sent already'));

/** How V8 says that it met a BigInt, or what holds itself. */
const OF_JSON = /serialize a BigInt|circular structure/;

/** Give what `JSON.stringify` has thrown its code, where nothing else has. Never throws. */
export function markJsonMistake(thrown: unknown): void {
  try {
    if (thrown instanceof TypeError && !('code' in thrown) && OF_JSON.test(thrown.message))
      coded('FWK410', thrown);
  } catch {
    // A Proxy, or frozen: it is shown without.
  }
}
