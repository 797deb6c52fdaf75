import { isBuiltin } from 'node:module';
import type { Declarations } from './declarations.js';
import { ANY, CALLED, INIT, note, type Place } from './facts.js';
import { GLOBAL_OBJECTS, MUTATORS, PURE, PURE_GLOBALS, READING, SQL_READ, SQL_WRITE } from './known-calls.js';
import type { Binding, Node } from './syntax.js';
import * as t from './syntax.js';
import * as v from './values.js';

/**
 * A state is a text: `unit:name` for a binding of the module, `ctx:key`, `import:specifier\nname`, `env:NAME`, `state:global:name`,
 * `state:fs`, `session:`, or `everything`. The prefix `?method ` means that a method is called that may write. `?` is an unknown state.
 */
const UNKNOWN = '?';
/** An assignment, a call of a method that is known to write, or a call of another method. */
type How = 'assign' | 'write' | 'call';

const write = ({ unit, bits }: Place, state: string): unknown => note(unit.writes, state, bits);

export function readWrites(module: Declarations, node: Node, place: Place): void {
  const { type, left, right, operator, argument } = node;
  const { unit, scope } = place;
  const fn = type === 'ReturnStatement' ? scope.fn : type === 'ArrowFunctionExpression' ? node : undefined;
  const result = fn && (argument ?? node.body);
  if (result && v.isAnswering(fn) && v.isMadeByPackage(result, scope)) unit.marks.add('opaque');
  if (type === 'AssignmentExpression') {
    if (left.type === 'MemberExpression' && v.isCode(right, scope)) unit.stores.add(UNKNOWN);
    readAssignment(module, left, place);
  } else if (type === 'UpdateExpression' || operator === 'delete') readAssignment(module, argument, place);
  else if (t.isCall(node)) readCall(module, node, place);
}

function readAssignment(module: Declarations, given: Node, place: Place): void {
  const left = t.bare(given);
  const binding = t.bindingOf(left, place.scope);
  if (/^(Object|Array)Pattern$/.test(left.type))
    for (const { id } of t.boundBy(left)) readAssignment(module, id, place);
  else if (left.type !== 'Identifier')
    writeTo(module, left.object ?? left, 'assign', t.keyName(left) ?? '', place);
  else if (!binding) write(place, `state:global:${left.name}`);
  else if (binding.fn !== place.scope.fn || !binding.fn) write(place, homeOf(module, binding, place));
}

/** The unit that holds a variable of the module or of an outer function. */
const homeOf = ({ unitOf, factories }: Declarations, binding: Binding, { name }: Place): string =>
  `unit:${unitOf(binding) ?? (binding.fn && factories.get(binding.fn)) ?? name}`;

function readCall(module: Declarations, call: Node, place: Place): void {
  const { unit, scope } = place;
  const callee = t.bare(call.callee);
  const own = t.bindingOf(callee, scope);
  const method = callee.property && (t.keyName(callee) ?? '');
  if (v.isOfFwk(own) && /^(end|renew)Session$/.test(own?.imported ?? '')) {
    unit.mention('session:');
    write(place, 'session:');
  }
  // Code that reads the state of the receiver may call the function.
  const isPure = method === undefined ? v.isOfFwk(own) : method === 'sort' || PURE.test(method);
  if (!isPure && call.arguments.some((one) => v.isCode(one, scope)))
    unit.stores.add(`?${method ?? ''} ${keeperOf(module, callee, place) ?? ''}`.trim());
  if (method !== undefined) return readMethodCall(module, call, callee, method, place);
  const isLocal = own?.fn && own.kind !== 'declaration' && !(own.init && t.isFunction(t.bare(own.init)));
  const isKnown = callee.type === 'Identifier' || t.isFunction(callee) || /^(Super|Import)/.test(callee.type);
  if ((isLocal && !v.isRequest(callee, own)) || !isKnown) {
    write(place, UNKNOWN + CALLED);
    if (!v.isTail(call, scope)) unit.marks.add('aroundCall');
  }
  // A package may change a binding of the module that it receives.
  for (const one of v.isOfPackage(own) ? call.arguments : []) {
    const given = module.unitOf(t.bindingOf(t.bare(one), scope));
    if (given !== undefined && module.facts.unit(given).marks.has('holder')) write(place, `unit:${given}`);
  }
}

const WRITING_GLOBALS = new Map([
  ['Reflect', /^(set|delete|define)/],
  ['Object', MUTATORS],
]);

function readMethodCall(module: Declarations, call: Node, callee: Node, name: string, place: Place): void {
  const { root } = t.rootOf(callee);
  const [first] = call.arguments;
  const owner = t.bindingOf(t.bare(callee.object), place.scope);
  // A function of a module: `db.save(x)` after `import * as db from './db.js'`.
  if (name !== '' && owner?.imported === ANY && v.isOwnImport(owner.specifier)) return;
  if (name === '') write(place, UNKNOWN + CALLED);
  if (root.type === 'Identifier' && !t.bindingOf(root, place.scope)) {
    const isWriting = WRITING_GLOBALS.get(root.name)?.test(name);
    if (isWriting && first && !t.bare(first).properties) writeTo(module, t.bare(first), 'assign', '', place);
    return;
  }
  const sql = v.firstText(first, place.scope) ?? '';
  const isSqlWrite = sql.length > 8 && sql.includes(' ') && SQL_WRITE.test(sql);
  if (SQL_READ.test(sql) || (!isSqlWrite && (name === '' || PURE.test(name) || READING.test(name)))) return;
  writeTo(module, callee.object, isSqlWrite || MUTATORS.test(name) ? 'write' : 'call', name, place);
}

/** Records that a change of `object` changes a state. `name`: the property that is assigned or called, or ''. */
function writeTo(module: Declarations, object: Node, how: How, name: string, place: Place): void {
  const { root } = t.rootOf(object);
  const binding = t.bindingOf(root, place.scope);
  // A method changes a copy in `rows.filter(f).sort()`, and a new object in `createHash('sha256').update(x)`.
  const isCalled = t.bare(object).type === 'CallExpression';
  if (isCalled && (v.isFresh(object) || isBuiltin(binding?.specifier ?? ''))) return;
  if (v.isRequest(root, binding)) return;
  const state = stateOf(module, object, name, place);
  const add = (to = ''): unknown => write(place, how === 'call' ? `?${name} ${to}`.trim() : to || UNKNOWN);
  const home =
    state === undefined && binding?.fn && binding.fn !== place.scope.fn && binding.kind !== 'param';
  if (home && v.isOpaque(binding.init, place.scope)) write(place, homeOf(module, binding, place));
  else if (home) add(homeOf(module, binding, place));
  if (state !== undefined) return add(state) as undefined;
  // A write to an object of the language changes everything.
  if (how !== 'call' && !binding && PURE_GLOBALS.test(root.name ?? '') && root.name !== 'console')
    add('everything');
  const value = binding ? binding.init : root.type === 'Identifier' ? undefined : root;
  if (binding?.kind === 'param' || binding?.isLoop || (value && !v.isFresh(value))) add();
}

/** The state that an expression is, or is a part of, if its names show it. */
function stateOf(module: Declarations, object: Node, name: string, place: Place): string | undefined {
  const { root, members } = t.rootOf(object);
  const binding = t.bindingOf(root, place.scope);
  const own = binding?.fn ? undefined : module.unitOf(binding);
  const isOfCtx = v.isCtx(root, place.scope);
  const first = members[0] ?? (name || ANY);
  const isKey = (one: string): boolean => module.source.keys.has(one);
  if (isThis(root)) {
    const key = members.map(t.plainName).find(isKey);
    if (key !== undefined) return `ctx:${key}`;
    return place.name === INIT ? undefined : `unit:${place.name.split(/[.:]/)[0]}`;
  }
  if (binding?.kind === 'import')
    return `import:${binding.specifier}\n${binding.imported === ANY ? first : binding.imported}`;
  if (own !== undefined) return `unit:${own}`;
  if (!binding && GLOBAL_OBJECTS.test(root.name)) return `state:global:${first}`;
  const alias = binding && v.aliasOf(binding);
  if (!isOfCtx && alias !== undefined && isKey(alias)) return `ctx:${alias}`;
  return isOfCtx ? `ctx:${first}` : undefined;
}

const isThis = ({ type }: Node): boolean => type === 'ThisExpression' || type === 'Super';

/** The state that receives the arguments of a call. */
function keeperOf(module: Declarations, callee: Node, place: Place): string | undefined {
  const state = isThis(t.rootOf(callee).root) ? undefined : stateOf(module, callee, '', place);
  return state?.startsWith('ctx:') && !module.source.keys.has(state.slice('ctx:'.length)) ? undefined : state;
}
