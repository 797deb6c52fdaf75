import { isObject } from '../../../kernel/index.js';
import type { HttpRoute, JsonSchema } from '../../http/index.js';
import type { Components } from './components.js';

/** How a body with this schema is sent. */
export function bodyContent(
  { kind, meta }: Pick<HttpRoute, 'kind' | 'meta'>,
  schema: JsonSchema | undefined,
  components: Components,
): JsonSchema | undefined {
  if (meta.body === 'stream') return { '*/*': { schema: {} } };
  if (!schema) return undefined;
  if (holdsFile(schema, components)) return { 'multipart/form-data': { schema } };
  const json = { 'application/json': { schema } };
  return kind === 'web' ? { 'application/x-www-form-urlencoded': { schema }, ...json } : json;
}

/** Whether a file is within a schema: only a form can hold that. */
function holdsFile(schema: unknown, components: Components, seen = new Set<unknown>()): boolean {
  if (Array.isArray(schema)) return schema.some((one) => holdsFile(one, components, seen));
  if (!isObject(schema) || seen.has(schema)) return false;
  seen.add(schema);
  if (schema.type === 'string' && schema.format === 'binary') return true;
  return Object.values({ ...schema, $ref: components.dereferenced(schema) }).some((one) =>
    holdsFile(one, components, seen),
  );
}
