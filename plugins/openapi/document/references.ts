import { isObject } from '../../../kernel/index.js';
import type { JsonSchema } from '../../http/index.js';

/** Keywords whose value is an object of schemas by name. */
const TABLES: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs']);

/** Keywords whose value is of users, and no schema: a `$ref` in there is a text. */
const VALUES: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'example']);

/** Keywords that say of a schema of its own where it is; within a document they would move what references lead to. */
const IDENTITY: ReadonlySet<string> = new Set(['$schema', '$id']);

/** A schema, with what `resolve` makes of each of its references. */
export function withReferences(schema: JsonSchema, resolve: (ref: string) => string): JsonSchema {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    return isObject(value) ? withReferences(value, resolve) : value;
  };
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !IDENTITY.has(key))
      .map(([key, value]) => {
        if (key === '$ref' && typeof value === 'string') return [key, resolve(value)];
        if (VALUES.has(key)) return [key, value];
        if (TABLES.has(key) && isObject(value))
          return [key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, visit(one)]))];
        return [key, visit(value)];
      }),
  );
}

/** The references of a schema. */
export function referencesIn(schema: JsonSchema): readonly string[] {
  const found = new Set<string>();
  withReferences(schema, (ref) => {
    found.add(ref);
    return ref;
  });
  return [...found];
}

/** The definition that a reference within a schema leads into, and the way on from there; undefined where it is the schema itself. */
export function definitionIn(ref: string): { readonly name: string; readonly rest: string } | undefined {
  const [, name, rest] = /^#\/\$defs\/([^/]+)(.*)$/s.exec(ref) ?? [];
  if (name === undefined) return undefined;
  return {
    name: decoded(name).replaceAll('~1', '/').replaceAll('~0', '~'),
    rest: rest ?? '',
  };
}

/** Libraries write names into references as they are: `100%`, say. */
function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
