import { eachChild, isTransparent, type Node, type Of } from './syntax.js';
import type { Partition } from './units.js';

/** Where a node stands, how it is written, and what only types say. */
const IGNORED = new Set(['start', 'end', 'range', 'loc', 'parent', 'raw', 'definite', 'declare', 'readonly']);

/** What a unit says, the same for all ways to write it. */
export function printOf(program: Of<'Program'>, parts: Partition, unit: string): string {
  const words: string[] = [];
  const say = (node: Node): void => {
    if (isTransparent(node) && node.type !== 'ChainExpression') return eachChild(node, say);
    const isOwn = parts.of(node) === unit;
    if (isOwn) {
      words.push(node.type);
      for (const [key, value] of Object.entries(node))
        if (
          !IGNORED.has(key) &&
          !(key === 'optional' && node.type === 'Identifier') &&
          (typeof value !== 'object' || value === null || key === 'value' || key === 'regex')
        )
          words.push(saying(value));
    }
    eachChild(node, say);
    if (isOwn) words.push('.');
  };
  for (const statement of program.body) if (!statement.type.startsWith('Import')) say(statement);
  return words.join(' ');
}

function saying(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (value instanceof RegExp) return String(value);
  if (typeof value === 'object' && value !== null) return 'type' in value ? '' : JSON.stringify(value);
  return JSON.stringify(value) ?? '';
}
