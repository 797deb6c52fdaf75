import { type Imported, importedBy, type Names, packageOf } from './names.js';
import { bare, isClass, memberName, type Node, type Of, someChild } from './syntax.js';

/** Which parameter of a function is `ctx`, or which property of its first one: `'ctx'`. */
export type Place = number | 'ctx';

/** What a function of a package takes that is called with `ctx` later. */
export interface Wrapper {
  /** Of the function that is handed to it. */
  readonly argument?: Place;
  /** Which of its arguments that function is; default: the last. */
  readonly index?: number;
  /** Of functions in the object that it takes first, by property. */
  readonly properties?: Readonly<Record<string, Place>>;
}

const endpoint: Wrapper = { argument: 2 };
const stream: Wrapper = { argument: 'ctx' };

const FWKIT: Readonly<Record<string, Wrapper>> = {
  get: endpoint,
  post: endpoint,
  put: endpoint,
  patch: endpoint,
  del: endpoint,
  head: endpoint,
  options: endpoint,
  all: endpoint,
  middleware: { argument: 2, index: 0 },
  service: { argument: 0, index: 0 },
  di: { properties: { value: 0 } },
  ws: stream,
  sse: stream,
  tool: { properties: { handler: 1 } },
  resource: { properties: { handler: 1, list: 0, complete: 1 } },
  prompt: { properties: { handler: 1, complete: 1 } },
  auth: { properties: { verify: 1 } },
};

const OTHERS: Readonly<Record<string, Readonly<Record<string, Wrapper>>>> = {
  '@fwkit/cron': { job: { argument: 0, index: 1 } },
  '@fwkit/queue': { queue: { argument: 1, index: 0 } },
};

/** Packages whose functions only describe: calling one while a module is imported does nothing else. */
const DESCRIBING = new Set([
  'fwkit',
  '@fwkit/cron',
  '@fwkit/queue',
  'zod',
  'valibot',
  '@valibot/to-json-schema',
  'arktype',
  'yup',
  'superstruct',
  'typebox',
  '@sinclair/typebox',
]);

/** What a wrapper takes; undefined for functions that are not known as one. */
export function wrapperOf({ specifier, name }: Imported): Wrapper | undefined {
  const table = packageOf(specifier) === 'fwkit' ? FWKIT : OTHERS[packageOf(specifier)];
  return table && Object.hasOwn(table, name) ? table[name] : undefined;
}

export const isDescribing = (specifier: string): boolean => DESCRIBING.has(packageOf(specifier));

/** Whether a wrapper that is known has made the default export: then no convention hands `ctx` to anything else. */
export function isWrapped(program: Of<'Program'>, names: Names): boolean {
  const exported = program.body.find(({ type }) => type === 'ExportDefaultDeclaration');
  if (exported?.type !== 'ExportDefaultDeclaration') return false;
  let node = bare(exported.declaration);
  while (node.type === 'CallExpression') {
    const wrapper = importedBy(node.callee, names);
    if (wrapper) return wrapperOf(wrapper) !== undefined;
    // get(…).meta({ … })
    if (node.callee.type !== 'MemberExpression' || memberName(node.callee) !== 'meta') return false;
    node = bare(node.callee.object);
  }
  return false;
}

/** Constructors and functions of the language that do nothing but make a value. */
const MAKING = new Set(['Set', 'Map', 'WeakMap', 'WeakSet', 'RegExp', 'Symbol', 'Object.freeze', 'Error']);

/** Whether evaluating an expression may do more than make its value. */
export function hasEffects(node: Node, names: Names): boolean {
  switch (node.type) {
    case 'Identifier':
    case 'Literal':
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
    case 'FunctionDeclaration':
      return false;
    case 'ClassDeclaration':
    case 'ClassExpression':
      return classHasEffects(node, names);
    case 'AwaitExpression':
    case 'AssignmentExpression':
    case 'UpdateExpression':
    case 'TaggedTemplateExpression':
    case 'ImportExpression':
      return true;
    case 'CallExpression':
    case 'NewExpression':
      if (!makes(node.callee, names)) return true;
      break;
    case 'UnaryExpression':
      if (node.operator === 'delete') return true;
  }
  return someChild(node, (child) => hasEffects(child, names));
}

/** Whether a declaration of a class runs code: static blocks and values, decorators, what it extends. */
export function classHasEffects(node: Node, names: Names): boolean {
  if (!isClass(node)) return false;
  if (node.decorators.length > 0) return true;
  if (node.superClass && hasEffects(node.superClass, names)) return true;
  return node.body.body.some((one) => {
    if (one.type === 'StaticBlock') return true;
    if ('decorators' in one && one.decorators.length > 0) return true;
    return one.type === 'PropertyDefinition' && one.static && one.value
      ? hasEffects(one.value, names)
      : false;
  });
}

/** Whether what is called only makes a value: of the language, or of a package whose functions describe. */
export function makes(callee: Node, names: Names): boolean {
  const node = bare(callee);
  if (node.type === 'Identifier') {
    if (!names.bindings.has(node)) return MAKING.has(node.name);
    const imported = importedBy(node, names);
    return imported !== undefined && isDescribing(imported.specifier);
  }
  if (node.type !== 'MemberExpression') return false;
  const object = bare(node.object);
  if (object.type === 'Identifier' && !names.bindings.has(object))
    return MAKING.has(`${object.name}.${memberName(node) ?? ''}`);
  // z.string().min(1), get(…).meta({ … })
  if (object.type === 'CallExpression') return makes(object.callee, names);
  if (object.type === 'MemberExpression' || object.type === 'Identifier') {
    const imported = importedBy(object, names);
    return imported
      ? isDescribing(imported.specifier)
      : object.type === 'MemberExpression' && makes(object, names);
  }
  return false;
}
