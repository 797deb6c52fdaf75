import { ALL, Flow, MADE, VALUE, type Watcher } from './flow.js';
import { importedBy, importOf, type Names, WHOLE } from './names.js';
import { bare, constantText, memberName, type Node, type Of, propertyName } from './syntax.js';

/** What is told of the world outside of the modules that a unit reaches. */
export interface World {
  env(at: Node, name: string): void;
  /** Node's own module. */
  builtin(at: Node, name: string): void;
  /** A way out over the network that is a global: `fetch`. */
  net(at: Node, name: string): void;
  /** A template of `views/`; `*` where its name is computed. */
  view(at: Node, name: string): void;
  /** A module that is imported later. */
  later(at: Node, specifier: string): void;
  lose(at: Node, why: string, isModule?: boolean): void;
}

const NET = new Set(['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest']);
const GLOBAL_OBJECTS = new Set(['globalThis', 'global', 'self', 'window']);

/** Find all that a module takes from outside but by its imports. */
export function findLeaves(names: Names, world: World): void {
  const process = processFlow(names, world);
  for (const one of names.globals) {
    if (one.name === 'process') process.expression(one, { path: [] });
    else if (GLOBAL_OBJECTS.has(one.name)) globalObject(one, process, world);
    else global(one, one.name, world);
  }
  for (const binding of names.all) {
    const imported = importOf(binding);
    if (!imported || !/^(node:)?process$/.test(imported.specifier)) continue;
    const isWhole = imported.name === 'default' || imported.name === WHOLE;
    if (!isWhole && imported.name !== 'env') continue;
    for (const one of binding.references)
      process.expression(one, { path: [], key: isWhole ? undefined : 'env' });
  }
  for (const node of names.nodes)
    if (node.type === 'ImportExpression') later(node, node.source, world);
    else if (node.type === 'NewExpression') address(node, names, world);
    else if (node.type === 'CallExpression') called(node, names, world);
    else if (node.type === 'MemberExpression' && bare(node.object).type === 'MetaProperty') {
      if (memberName(node) === 'env') process.expression(node, { path: [], key: 'env' });
    }
}

/** `process` is followed as `ctx` is: `env` is its key, and names are members of it. */
function processFlow(names: Names, world: World): Flow {
  const watcher: Watcher = {
    read(at, key, member) {
      if (key === 'env' && member !== MADE) world.env(at, member === VALUE ? ALL : member);
      if (key === 'getBuiltinModule' && member !== MADE) builtin(at, world);
      if ((key === 'binding' || key === 'dlopen') && member !== MADE) world.lose(at, `process.${key}`);
    },
    pass: (at, _target, _index, { key }) => (key !== undefined && key !== 'env') || world.env(at, ALL),
    give() {},
    hold() {},
    lose: (at) => world.env(at, ALL),
  };
  return new Flow(names, watcher);
}

function builtin(at: Node, world: World): void {
  const call = at.parent;
  const [first] = call?.type === 'CallExpression' ? call.arguments : [];
  const name = first && constantText(first);
  if (name === undefined) world.lose(at, 'process.getBuiltinModule() of a computed name');
  else world.builtin(at, name);
}

function globalObject(node: Node, process: Flow, world: World): void {
  const { parent } = node;
  if (parent?.type === 'MemberExpression' && parent.object === node) {
    const name = memberName(parent);
    if (name === undefined) world.lose(parent, 'a global by a computed name', true);
    else if (name === 'process') process.expression(parent, { path: [] });
    else global(parent, name, world);
  } else if (parent?.type === 'VariableDeclarator' && parent.id.type === 'ObjectPattern') {
    for (const one of parent.id.properties) {
      const name = one.type === 'Property' ? propertyName(one.key, one.computed) : undefined;
      if (one.type !== 'Property' || name === undefined)
        world.lose(one, 'globals that are taken apart', true);
      else if (name === 'process') process.pattern(one.value, { path: [] });
      else global(one, name, world);
    }
  } else if (parent?.type !== 'UnaryExpression' && parent?.type !== 'BinaryExpression')
    world.lose(node, 'globals that are handed on', true);
}

function global(at: Node, name: string, world: World): void {
  if (NET.has(name)) world.net(at, name);
  else if (name === 'eval' || name === 'Function') {
    if (at.parent?.type === 'CallExpression' || at.parent?.type === 'NewExpression' || name === 'eval')
      world.lose(at, `${name}()`, true);
  } else if (name === 'require') required(at, world);
}

/** `new URL('./worker.js', import.meta.url)`: a file that is run, or read, later. */
function address(node: Of<'NewExpression'>, names: Names, world: World): void {
  const [first, base] = node.arguments;
  if (node.callee.type !== 'Identifier' || node.callee.name !== 'URL' || names.bindings.has(node.callee))
    return;
  if (base?.type !== 'MemberExpression' || base.object.type !== 'MetaProperty') return;
  const path = first && constantText(first);
  if (path !== undefined && /^\.{1,2}\/./.test(path)) world.later(node, path);
}

function called(node: Of<'CallExpression'>, names: Names, world: World): void {
  // (() => {}).constructor('…') is Function, by another name.
  if (node.callee.type === 'MemberExpression' && memberName(node.callee) === 'constructor')
    world.lose(node, 'constructor() that is called as a function', true);
  const { callee } = node;
  if (callee.type === 'MemberExpression' && callee.object.type === 'MetaProperty') {
    if (memberName(callee) === 'resolve') resolved(node, world);
    return;
  }
  const imported = importedBy(callee, names);
  if (imported && /^fwkit$/.test(imported.specifier)) {
    const [first] = node.arguments;
    if (imported.name === 'view') world.view(node, (first && constantText(first)) ?? ALL);
    if (imported.name === 'file') world.builtin(node, 'node:fs');
  }
  if (isCreateRequire(callee, names)) requires(node, names, world);
}

/** Note a module that is imported while the program runs. */
function later(at: Node, source: Node, world: World): void {
  const specifier = constantText(source);
  if (specifier === undefined) world.lose(at, 'import() of a computed name', true);
  else world.later(at, specifier);
}

/** Whether a function is `createRequire`, of `node:module` or of its default export. */
function isCreateRequire(callee: Node, names: Names): boolean {
  const node = bare(callee);
  const isOfModule = (given: Node): boolean =>
    /^(node:)?module$/.test(importedBy(given, names)?.specifier ?? '');
  if (node.type === 'MemberExpression')
    return memberName(node) === 'createRequire' && isOfModule(node.object);
  return importedBy(node, names)?.name === 'createRequire' && isOfModule(node);
}

/** What `createRequire(…)` gives is used at once, by a name, or taken apart. */
function requires(made: Node, names: Names, world: World): void {
  const { parent } = made;
  if (parent?.type === 'CallExpression' || parent?.type === 'MemberExpression') return required(made, world);
  if (parent?.type !== 'VariableDeclarator' || isExported(parent))
    return world.lose(made, 'createRequire()', true);
  const take = (pattern: Node, use: (reference: Node) => void): void => {
    const binding = pattern.type === 'Identifier' ? names.bindings.get(pattern) : undefined;
    if (!binding || binding.isAssigned) return world.lose(made, 'createRequire()', true);
    for (const reference of binding.references) use(reference);
  };
  if (parent.id.type !== 'ObjectPattern') return take(parent.id, (reference) => required(reference, world));
  for (const one of parent.id.properties)
    if (one.type === 'Property' && propertyName(one.key, one.computed) === 'resolve')
      take(one.value, (reference) => resolvedBy(reference, world));
    else world.lose(made, 'createRequire()', true);
}

const isExported = ({ parent }: Of<'VariableDeclarator'>): boolean =>
  parent?.parent?.type === 'ExportNamedDeclaration';

/** `require('./a.js')` is an import; `require.resolve` loads nothing. */
function required(at: Node, world: World): void {
  const { parent } = at;
  if (parent?.type === 'MemberExpression' && parent.object === at && memberName(parent) === 'resolve')
    return resolvedBy(parent, world);
  const [first] = parent?.type === 'CallExpression' && parent.callee === at ? parent.arguments : [];
  if (first) later(at, first, world);
  else world.lose(at, 'require()', true);
}

function resolvedBy(at: Node, world: World): void {
  if (at.parent?.type === 'CallExpression' && at.parent.callee === at) resolved(at.parent, world);
}

/** The path of a file of the project, which is run, or read, later. */
function resolved({ arguments: [first] }: Of<'CallExpression'>, world: World): void {
  const path = first && constantText(first);
  if (first && path !== undefined && /^\.{1,2}\/./.test(path)) world.later(first, path);
}
