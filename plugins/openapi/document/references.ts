import { type JsonSchema, withReferences as withReferencesIn } from '../../http/index.js';

/** Keywords that say of a schema of its own where it is; within a document they would move what references lead to. */
const IDENTITY: ReadonlySet<string> = new Set(['$schema', '$id']);

/** A schema, with what `resolve` makes of each of its references. */
export const withReferences = (schema: JsonSchema, resolve: (ref: string) => string): JsonSchema =>
  withReferencesIn(schema, resolve, (keyword) => !IDENTITY.has(keyword));

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
