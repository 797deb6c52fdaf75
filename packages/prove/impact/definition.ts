import { Analysis } from '../graph/analysis.js';
import { bare, type Node } from '../graph/syntax.js';

/** The text of a route without its handler: what it says of itself. Undefined where that cannot be told apart. */
export function withoutHandler(file: string, text: string): string | undefined {
  const { program, error } = new Analysis(file, text);
  const exported = program.body.find(({ type }) => type === 'ExportDefaultDeclaration');
  if (error || exported?.type !== 'ExportDefaultDeclaration') return undefined;
  let node: Node = bare(exported.declaration);
  // get(…).meta({ … })
  while (node.type === 'CallExpression' && node.callee.type === 'MemberExpression') {
    const inner = bare(node.callee.object);
    if (inner.type !== 'CallExpression') break;
    node = inner;
  }
  const handler = node.type === 'CallExpression' ? node.arguments.at(-1) : undefined;
  return handler && `${text.slice(0, handler.start)}() => {}${text.slice(handler.end)}`;
}
