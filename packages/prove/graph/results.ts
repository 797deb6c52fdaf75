import { bare, type FunctionNode, isClass, isFunction, memberName, type Node, walk } from './syntax.js';

/** The expressions whose values a function may give; undefined where it may give nothing, or cannot be told. */
export function resultsOf({ body }: FunctionNode): Node[] | undefined {
  if (!body) return undefined;
  if (body.type !== 'BlockStatement') return either(body);
  const found: (Node | null)[] = [];
  for (const statement of body.body)
    walk(statement, (node) => {
      if (isFunction(node) || isClass(node)) return false;
      if (node.type === 'ReturnStatement') found.push(node.argument);
      return undefined;
    });
  // It ends there, or it may end without a result.
  if (body.body.at(-1)?.type !== 'ReturnStatement' || found.includes(null)) return undefined;
  return found.flatMap((one) => (one ? either(one) : []));
}

/** Both sides of `a ? b : c`. */
function either(given: Node): Node[] {
  const node = bare(given);
  return node.type === 'ConditionalExpression'
    ? [...either(node.consequent), ...either(node.alternate)]
    : [node];
}

const HANDING_ON: ReadonlySet<string> = new Set([
  ...['Object.freeze', 'Object.seal', 'Object.preventExtensions', 'Promise.resolve'],
]);

/** What is frozen, or awaited: the value with the same members. */
export function settled(given: Node): Node {
  const node = bare(given);
  if (node.type === 'AwaitExpression') return settled(node.argument);
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return node;
  const { object } = node.callee;
  const name = object.type === 'Identifier' ? `${object.name}.${memberName(node.callee)}` : '';
  const [first] = node.arguments;
  return first && HANDING_ON.has(name) ? settled(first) : node;
}
