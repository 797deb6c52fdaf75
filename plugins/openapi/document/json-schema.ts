import type { JsonSchema } from '../../http/index.js';
import { keyIn, withReferences as withReferencesIn } from '../../http/internal.js';

/** Keywords that give a schema its own base URI, which would redirect references in a document. */
const IDENTITY: ReadonlySet<string> = new Set(['$schema', '$id']);

/** Returns a copy of a schema in which `resolve` has rewritten each reference. */
export const withReferences = (schema: JsonSchema, resolve: (ref: string) => string): JsonSchema =>
  withReferencesIn(schema, resolve, (keyword) => !IDENTITY.has(keyword));

export function referencesIn(schema: JsonSchema): readonly string[] {
  const found = new Set<string>();
  withReferences(schema, (ref) => {
    found.add(ref);
    return ref;
  });
  return [...found];
}

/** The definition that a reference points into, and the rest of its path; undefined for its root. */
export function definitionIn(ref: string): { readonly name: string; readonly rest: string } | undefined {
  const [, name, rest] = /^#\/\$defs\/([^/]+)(.*)$/s.exec(ref) ?? [];
  if (name === undefined) return undefined;
  return { name: keyIn(name), rest: rest ?? '' };
}

/** JSON text. A bigint, for example in a default, becomes a string. */
export const toText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, (_key, one) => (typeof one === 'bigint' ? String(one) : one), indent);
