import { isObject } from '../../../kernel/index.js';
import type { Json } from './json-schema.js';

/** Keywords whose value is an object of schemas by name. */
const TABLES: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs']);

/** Keywords whose value is of users, and no schema: a `$ref` in there is a text. */
const VALUES: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'example']);

/**
 * A JSON Schema, with what `resolve` makes of each of its references, at any depth. Keywords that `isKept` refuses are left out of
 * it, and of each schema within.
 */
export function withReferences(
  schema: Json,
  resolve: (ref: string) => string,
  isKept: (keyword: string) => boolean = () => true,
): Record<string, unknown> {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    return isObject(value) ? withReferences(value, resolve, isKept) : value;
  };
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => isKept(key))
      .map(([key, value]) => {
        if (key === '$ref' && typeof value === 'string') return [key, resolve(value)];
        if (VALUES.has(key)) return [key, value];
        if (TABLES.has(key) && isObject(value))
          return [key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, visit(one)]))];
        return [key, visit(value)];
      }),
  );
}
