import { coded, type Json, notJson } from '../../kernel/index.js';

/** Throws TypeError for what JSON has not: it would be lost on the way, or be another thing there. */
export function checkHead(head: unknown): asserts head is Json {
  const wrong = notJson(head, 'the head');
  if (wrong !== undefined)
    throw coded('FWK410', new TypeError(`A message takes what JSON has, and ${wrong}`));
}
