import { FROM_FWK, PURE, PURE_GLOBALS, WRAPPERS } from './known-calls.js';
import type { Binding, Node, Scope } from './syntax.js';
import * as t from './syntax.js';

export const isOwnImport = (specifier = ''): boolean => /^[./#]/.test(specifier);
export const isOfFwk = (binding: Binding | undefined): boolean => FROM_FWK.test(binding?.specifier ?? '');
/** Whether a binding is an import from another package than fwk. */
export const isOfPackage = (binding: Binding | undefined): binding is Binding =>
  binding?.kind === 'import' && !isOwnImport(binding.specifier) && !isOfFwk(binding);
export const isRequest = (node: Node, binding: Binding | undefined): boolean =>
  binding?.kind === 'param' && /^_?(req|res|request|response|next)$/.test(node.name);

/** The functions of fwk whose handlers have `ctx` as the first and as the second parameter. Others have it as the third. */
const CTX_FIRST = /^(service|di)$/;
const CTX_SECOND = /^(tool|resource|prompt|queue|cron|job)$/;

/** Whether an expression is `ctx` by its name, or by its position in a handler. */
export function isCtx(given: Node, scope: Scope): boolean {
  const node = t.bare(given);
  if (node.type === 'MemberExpression') return /^#?_?(ctx|context)$/.test(t.keyName(node) ?? '');
  const binding = t.bindingOf(node, scope);
  if (!binding || /^_?(ctx|context)$/.test(node.name)) return !!binding;
  if (binding.kind !== 'param' || binding.path?.length !== 0 || !t.isFunction(binding.node)) return false;
  const parent = t.above(binding.node);
  const wrapper = (parent.type === 'Property' ? t.above(parent.parent) : parent).callee?.name ?? '';
  const position = CTX_FIRST.test(wrapper) ? 0 : CTX_SECOND.test(wrapper) ? 1 : 2;
  return WRAPPERS.test(wrapper) && binding.index === position;
}

/** The property that a variable holds: `gate` in `const g = ctx.gate` and `const { gate: g } = ctx`. */
export function aliasOf({ path = [], init, isLoop }: Binding): string | undefined {
  const last = path.filter((one) => one !== '[]').at(-1);
  const value = path.length > 0 || !init || isLoop ? undefined : t.bare(init);
  return last ?? (value?.type === 'MemberExpression' ? t.keyName(value) : undefined);
}

/** Whether an argument is a function, or an object with functions, that the receiver may keep and call later. */
export function isCode(given: Node, scope: Scope): boolean {
  const node = t.bare(given);
  if (node.properties) return node.properties.some(({ value }) => value && isCode(value, scope));
  const { kind = '', init } = t.bindingOf(node, scope) ?? {};
  return t.isFunction(node) || t.isFunction(init && t.bare(init)) || /^(import|declaration)$/.test(kind);
}

/** Describes the value of a variable of the module: data that may change, or an object that a package created. */
export function marksOf({ init, parent }: Node, scope: Scope): readonly string[] {
  const value = init && t.bare(init);
  if (t.isFunction(value) && parent.kind === 'const') return [];
  const isPlain =
    parent.kind === 'const' && /^(Literal|TemplateLiteral|(Unary|Binary)Expression)$/.test(value?.type ?? '');
  return ['value', ...(isPlain ? [] : ['holder']), ...(isOpaque(init, scope) ? ['opaque'] : [])];
}

/** Built-in functions and classes whose results have only methods that fwk knows. */
const KNOWN_GLOBALS = /^(Array|BigInt|Boolean|Number|Object|String|parseInt|parseFloat|(Weak)?(Map|Set))$/;

/** Whether a package created a value, so that fwk can't read the code of its methods. */
export function isOpaque(init: Node | undefined, scope: Scope): boolean {
  const value = init && t.bare(init);
  if (!value || !t.isCall(value)) return false;
  const { root } = t.rootOf(value.callee);
  const { kind = 'global', specifier } = t.bindingOf(root, scope) ?? {};
  if (kind === 'global') return !KNOWN_GLOBALS.test(root.name ?? '');
  return kind === 'import' && root.name !== 'AsyncLocalStorage' && !isOwnImport(specifier);
}

/** Whether a value, or the initial value of a variable, is the result of an imported function or class of a package. */
export function isMadeByPackage(given: Node, scope: Scope): boolean {
  const value = t.bindingOf(t.bare(given), scope)?.init ?? given;
  const { callee } = t.bare(value);
  return t.bindingOf(t.rootOf(callee ?? value).root, scope)?.kind === 'import' && isOpaque(value, scope);
}

const COPIES =
  /^(map|filter|slice|split|entries|keys|values|flat|flatMap|concat|fromEntries|stringify|parse|from|toSorted|trim|now|structuredClone|String|Number|Boolean)$/;

/** Whether a value is new, so that no other code has it. */
export function isFresh(init: Node): boolean {
  const { type, callee } = t.bare(init);
  if (type === 'CallExpression')
    return COPIES.test((callee.property ? t.keyName(callee) : callee.name) ?? '');
  return /^(Object|Array|New|Binary|Function|ArrowFunction|Class)Expression$|Literal$/.test(type);
}

/** The longest chain of members that begins with a node: `a.b.c` for `a`. */
function chainOf(node: Node): Node {
  const member = t.memberOf(node);
  return member ? chainOf(member) : t.outer(node);
}

/** The text at the start of a template, a constant, or a variable that holds one of them. */
export function firstText(given: Node | undefined, scope: Scope): string | undefined {
  if (!given) return undefined;
  const node = t.bare(given);
  if (node.type === 'TemplateLiteral')
    return node.quasis[0]?.value.cooked || firstText(node.expressions[0], scope);
  if (node.type === 'BinaryExpression') return firstText(node.left, scope);
  const binding = t.bindingOf(node, scope);
  if (binding) return binding.path?.length || binding.isLoop ? undefined : firstText(binding.init, scope);
  return typeof (node.value as unknown) === 'string' ? t.textOf(node) : undefined;
}

const CALLS = /^(Call|New|Await|Import|Assignment|Update)Expression$/;
const hasCalls = (node: Node): boolean =>
  CALLS.test(node.type) || t.childrenOf(node).some(([child]) => hasCalls(child));
const isPureCall = ({ callee }: Node): boolean =>
  callee?.type === 'MemberExpression' && PURE.test(t.keyName(callee) ?? '');

/** Whether the result of a function is the result of its unit. */
export function isAnswering(fn: Node): boolean {
  const parent = t.above(fn);
  if (fn.type === 'FunctionDeclaration') return /^(Program|Export)/.test(parent.type);
  if (parent.type === 'VariableDeclarator') return /^(Program|ExportNamed)/.test(parent.parent.parent.type);
  if (t.isCall(parent)) return WRAPPERS.test(parent.callee.name ?? '');
  return /^(ExportDefaultDeclaration|MethodDefinition|Property|PropertyDefinition)$/.test(parent.type);
}

/** Whether a statement sets the response, such as `res.redirect('/');`, and no call follows that an error would prevent. */
function isOfResponse(statement: Node, scope: Scope): boolean {
  const call = t.bare(statement.expression);
  const response = call.callee?.object;
  const isSetting = /^_?res(ponse)?$/.test(response?.name ?? '') && !call.arguments.some(hasCalls);
  const { parent } = statement;
  const after = parent.body as unknown;
  if (!isSetting || t.bindingOf(response, scope)?.kind !== 'param' || !Array.isArray(after)) return false;
  const isLast = !after.slice(after.indexOf(statement) + 1).some(hasCalls);
  return isLast && t.isFunction(parent.parent) && isAnswering(parent.parent);
}

/** Whether a node only affects the result of its unit, and not the calls that the unit makes. */
export function isPartOfAnswer(given: Node, scope: Scope): boolean {
  if (given.type === 'EmptyStatement') return true;
  const statement = t.closest(given, ({ type }) => /Statement$/.test(type));
  if (statement?.type === 'ExpressionStatement' && isOfResponse(statement, scope)) return true;
  const node = given.parent?.key === given ? given.parent : given;
  const isPlain = !hasCalls(node) && !t.callOf(chainOf(node));
  const isHolder = /^(Parenthesized|Object|Array)Expression$|^(Property|SpreadElement)$/.test(node.type);
  return (isPlain || isHolder) && isTail(node, scope);
}

const PASSING =
  /^((Await|Object|Array|Binary|Conditional|Logical|Unary|Parenthesized|Chain|TSAs|TSNonNull|TSSatisfies)Expression|SpreadElement|TemplateLiteral|Property)$/;

/**
 * Whether the value of a node can only become a part of the result of its unit, as in `return present(x)` and `({ n: count() })`. A function
 * may write its arguments to a state, unless it is known to be pure. A condition decides which calls run.
 */
export function isTail(node: Node, scope: Scope): boolean {
  const up = node.parent;
  if (/^(ReturnStatement|ThrowStatement|ArrowFunctionExpression)$/.test(up?.type)) {
    const fn = t.closest(up, (one) => t.isFunction(one) || (one.type === 'TryStatement' && !!one.handler));
    if (!fn || !t.isFunction(fn) || (up === fn && fn.body !== node)) return false;
    return isAnswering(fn) || (up === fn && isPureCall(t.above(fn)) && isTail(t.outer(fn), scope));
  }
  if (up?.type === 'CallExpression' && up.callee !== node) {
    const binding = t.bindingOf(t.bare(up.callee), scope);
    const isKnown = binding
      ? isOfFwk(binding) && !WRAPPERS.test(binding.imported ?? '')
      : PURE_GLOBALS.test(up.callee.name ?? '');
    return (isKnown || isPureCall(up)) && isTail(up, scope);
  }
  const isMember = up?.type === 'MemberExpression' && up.object === node;
  if (isMember && t.callOf(up) && hasCalls(node) && !PURE.test(t.keyName(up) ?? '')) return false;
  const isDeciding = up?.test === node || up?.type === 'LogicalExpression';
  if (isDeciding && t.childrenOf(up).some(([one]) => one !== node && hasCalls(one))) return false;
  const isPassing = isMember || up?.type === 'CallExpression' || PASSING.test(up?.type);
  return isPassing && up.operator !== 'delete' && up.key !== node && isTail(up, scope);
}
