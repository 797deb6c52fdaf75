import { isObject } from '../../../kernel/index.js';
import type { JsonSchema } from '../definitions/schema-types.js';

/** The part of the schema that a reference within it leads to (RFC 6901 §6); undefined for any other reference. */
export function referred($ref: string, root: JsonSchema): unknown {
  if ($ref === '#') return root;
  if (!$ref.startsWith('#/')) return undefined;
  let found: unknown = root;
  for (const token of $ref.slice(2).split('/')) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}
