import { type Node, visitorKeys } from 'oxc-parser';

/** What all nodes of a type have in common. */
export interface NodeKind {
  readonly type: Node['type'];
  /** Whether nothing is left of such a node when the program runs. */
  readonly isType: boolean;
  /** Properties that may have nodes in them, but for those that have types alone. */
  readonly keys: readonly string[];
}

/** TypeScript's own nodes that have a value when the program runs; what is below the others are types. */
const VALUES = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSTypeAssertion',
  'TSNonNullExpression',
  'TSInstantiationExpression',
  'TSParameterProperty',
  'TSEnumDeclaration',
  'TSEnumBody',
  'TSEnumMember',
  'TSModuleDeclaration',
  'TSModuleBlock',
  'TSExportAssignment',
]);

/** Properties that have types alone in them, in all nodes that have a value. */
const OF_TYPES = new Set([
  'typeAnnotation',
  'returnType',
  'typeParameters',
  'typeArguments',
  'superTypeArguments',
  'implements',
]);

const kindFor = (type: string, keys: readonly string[]): NodeKind => ({
  type: type as Node['type'],
  isType: type.startsWith('TS') && !VALUES.has(type),
  keys: keys.filter((key) => !OF_TYPES.has(key)),
});

const kinds = new Map(Object.entries(visitorKeys).map(([type, keys]) => [type, kindFor(type, keys)]));

export function kindOf({ type }: Node): NodeKind {
  const known = kinds.get(type);
  if (known) return known;
  const kind = kindFor(type, []);
  kinds.set(type, kind);
  return kind;
}
