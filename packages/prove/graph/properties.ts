import type { Flow } from './flow.js';
import type { Followed } from './followed.js';
import type { Names } from './names.js';
import { memberName, type Node, propertyName } from './syntax.js';

/** The names of the properties that a module reads, by a dot, a text or a pattern. */
export function propertiesOf(names: Names): ReadonlySet<string> {
  const found = new Set<string>();
  for (const node of names.nodes) {
    const name = readBy(node);
    if (name !== undefined) found.add(name);
  }
  return found;
}

/** Any property of that name may hold the value: follow it from wherever one is read. */
export function propertyFlow(names: Names, flow: Flow, name: string, value: Followed): void {
  for (const node of names.nodes) {
    if (readBy(node) !== name) continue;
    if (node.type === 'MemberExpression') flow.expression(node, value);
    else if (node.type === 'Property') flow.pattern(node.value, value);
  }
}

function readBy(node: Node): string | undefined {
  if (node.type === 'MemberExpression') return isTarget(node) ? undefined : memberName(node);
  if (node.type === 'Property' && node.parent?.type === 'ObjectPattern')
    return propertyName(node.key, node.computed);
  return undefined;
}

const isTarget = (node: Node): boolean =>
  node.parent?.type === 'AssignmentExpression' && node.parent.left === node && node.parent.operator === '=';
