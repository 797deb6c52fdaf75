import { isBuiltin } from 'node:module';
import { ANY, CALLED, INIT, type Place, type Reader } from './facts.js';
import { GLOBAL_OBJECTS, MUTATORS, PURE, PURE_GLOBALS, READING, SQL_READ, SQL_WRITE } from './known-calls.js';
import type { Binding, Node } from './syntax.js';
import * as t from './syntax.js';
import {
  aliasOf,
  firstText,
  isAnswering,
  isCode,
  isCtx,
  isFresh,
  isInConstructor,
  isMadeByPackage,
  isOfFwk,
  isOpaque,
  isOwnImport,
  isRequest,
  isTail,
} from './values.js';

/**
 * States are noted as texts: `unit:name` (a binding of the module), `ctx:key`, `import:specifier\nname`, `env:NAME`, `state:global:name`,
 * `state:fs`, `session:` (all values of a session), `everything`. `?method ` in front means that a method is called that may write. `?` and `?method` are an unknown value.
 */
const UNKNOWN = '?';
/** An assignment, a method that is known to write, or another method. */
type How = 'assign' | 'write' | 'call';

const note = ({ unit, isMaking }: Place, state: string): unknown =>
  (isMaking ? unit.making : unit.writes).add(state);

export function readWrites(reader: Reader, node: Node, place: Place): void {
  const { type, left, right, operator, argument } = node;
  const fn =
    type === 'ReturnStatement' ? place.scope.fn : type === 'ArrowFunctionExpression' ? node : undefined;
  const result = fn && (argument ?? node.body);
  if (result && isAnswering(fn) && isMadeByPackage(result, place.scope)) place.unit.marks.add('opaque');
  if (type === 'AssignmentExpression') {
    if (left.type === 'MemberExpression' && isCode(right, place.scope)) place.unit.stores.add(UNKNOWN);
    assigned(reader, left, place);
  } else if (type === 'UpdateExpression' || operator === 'delete') assigned(reader, argument, place);
  else if (t.isCall(node)) called(reader, node, place);
}

function assigned(reader: Reader, given: Node, place: Place): void {
  const left = t.bare(given);
  const binding = t.bindingOf(left, place.scope);
  if (/^(Object|Array)Pattern$/.test(left.type))
    for (const { id } of t.boundBy(left)) assigned(reader, id, place);
  else if (left.type !== 'Identifier') writeTo(reader, left.object ?? left, 'assign', left, place);
  else if (!binding) note(place, `state:global:${left.name}`);
  else if (binding.fn !== place.scope.fn || !binding.fn)
    note(place, `unit:${homeOf(reader, binding, place)}`);
}

/** The unit whose state a variable of the module, or of a function around, is. */
function homeOf(reader: Reader, binding: Binding, { name }: Place): string {
  return reader.unitOf(binding) ?? (binding.fn && reader.factories.get(binding.fn)) ?? name;
}

function called(reader: Reader, call: Node, place: Place): void {
  const { unit, scope } = place;
  const callee = t.bare(call.callee);
  const own = t.bindingOf(callee, scope);
  if (isOfFwk(own) && /^(end|renew)Session$/.test(own?.imported ?? '')) {
    unit.mention('session:');
    note(place, 'session:');
  }
  const isPure = callee.property ? PURE.test(t.keyName(callee) ?? '') : isOfFwk(own);
  // Whoever reads the state that keeps a function may run it.
  if (!isPure && call.arguments.some((one) => isCode(one, scope)))
    unit.stores.add(keeperOf(reader, callee, place));
  if (callee.property) return methodCalled(reader, call, callee, place);
  // Which function a local value is, and what it does with its arguments, isn't known.
  const isLocal = own?.fn && own.kind !== 'declaration' && !(own.init && t.isFunction(t.bare(own.init)));
  const isKnown = callee.type === 'Identifier' || t.isFunction(callee) || /^(Super|Import)/.test(callee.type);
  if ((isLocal && !isRequest(callee, own)) || !isKnown) {
    note(place, UNKNOWN + CALLED);
    if (!isTail(call, scope)) unit.marks.add('aroundCall');
  }
  // A package that gets a binding of the module may change it.
  const isOfPackage = own?.kind === 'import' && !isOwnImport(own.specifier) && !isOfFwk(own);
  for (const one of isOfPackage ? call.arguments : []) {
    const given = reader.unitOf(t.bindingOf(t.bare(one), scope));
    if (given !== undefined && reader.facts.unit(given).marks.has('holder')) note(place, `unit:${given}`);
  }
}

/** The function or the object that gets a function, as the text of a state. */
function keeperOf(reader: Reader, callee: Node, { scope }: Place): string {
  const { root, members } = t.rootOf(callee);
  const binding = t.bindingOf(root, scope);
  const method = callee.property ? t.keyName(callee) : '';
  const alias = binding && aliasOf(binding);
  const key = [...(isCtx(root, scope) ? members : []), ...(alias === undefined ? [] : [alias])].find((one) =>
    reader.source.keys.has(one),
  );
  const own = reader.unitOf(binding);
  if (key !== undefined) return `?${method} ctx:${key}`;
  if (binding?.kind === 'import')
    return `?${method} import:${binding.specifier}\n${binding.imported === ANY ? (members[0] ?? ANY) : binding.imported}`;
  return own === undefined ? UNKNOWN + method : `?${method} unit:${own}`;
}

function methodCalled(reader: Reader, call: Node, callee: Node, place: Place): void {
  const name = t.keyName(callee) ?? '';
  const { root } = t.rootOf(callee);
  const [first] = call.arguments;
  if (name === '') note(place, UNKNOWN + CALLED);
  if (root.type === 'Identifier' && !t.bindingOf(root, place.scope)) {
    const isWrite =
      root.name === 'Reflect'
        ? /^(set|delete|define)/.test(name)
        : root.name === 'Object' && MUTATORS.test(name);
    if (isWrite && first && !t.bare(first).properties)
      writeTo(reader, t.bare(first), 'assign', undefined, place);
    return;
  }
  const sql = firstText(first, place.scope) ?? '';
  const isSqlWrite = sql.length > 8 && sql.includes(' ') && SQL_WRITE.test(sql);
  if (SQL_READ.test(sql) || (!isSqlWrite && (name === '' || PURE.test(name) || READING.test(name)))) return;
  writeTo(reader, callee.object, isSqlWrite || MUTATORS.test(name) ? 'write' : 'call', callee, place);
}

/** Notes the state that a change of `object` changes. `member`: what is assigned or called. */
function writeTo(reader: Reader, object: Node, how: How, member: Node | undefined, place: Place): void {
  const { scope } = place;
  // `rows.filter(f).sort()` changes a copy.
  if (t.bare(object).type === 'CallExpression' && isFresh(object)) return;
  const { root, members } = t.rootOf(object);
  const [first] = members;
  const name = (member?.property && t.keyName(member)) || '';
  const known = (state: string): unknown =>
    note(place, how === 'call' ? `${UNKNOWN}${name} ${state}` : state);
  const unknown = (): unknown => note(place, how === 'call' ? UNKNOWN + name : UNKNOWN);
  const binding = t.bindingOf(root, scope);
  const alias = binding && aliasOf(binding);
  const own = binding?.fn ? undefined : reader.unitOf(binding);
  if (root.type === 'ThisExpression' || root.type === 'Super') {
    const key = members.map(t.plainName).find((one) => reader.source.keys.has(one));
    const field = `${place.name.split(/[.:]/)[0]}:${[...members, name][0]}`;
    if (reader.isUnit(field)) {
      known(`unit:${field}`);
      return;
    }
    if (key !== undefined) known(`ctx:${key}`);
    else if (how !== 'assign' || !isInConstructor(root)) known(`unit:${madeBy(reader, root, place)}`);
  } else if (root.type !== 'Identifier') {
    if (!isFresh(root)) unknown();
  } else if (!binding) {
    if (GLOBAL_OBJECTS.test(root.name)) known(`state:global:${first ?? (name || ANY)}`);
    // A write to an object of the language.
    else if (how !== 'call' && PURE_GLOBALS.test(root.name) && root.name !== 'console') known('everything');
  } else if (binding.kind === 'import') {
    // `createHash('sha256').update(x)` changes what a module of Node has just made.
    const isMadeByNode = isBuiltin(binding.specifier ?? '') && t.bare(object).type === 'CallExpression';
    const imported = binding.imported === ANY ? (first ?? (name || ANY)) : binding.imported;
    if (!isMadeByNode) known(`import:${binding.specifier}\n${imported}`);
  } else if (own !== undefined) known(`unit:${own}`);
  else if (isRequest(root, binding)) return;
  else if (isCtx(root, scope)) known(`ctx:${first ?? name}`);
  else if (alias !== undefined && reader.source.keys.has(alias)) known(`ctx:${alias}`);
  else if (binding.kind === 'param') unknown();
  else {
    const isOuter = binding.fn !== scope.fn;
    if (isOuter)
      (isOpaque(binding.init, scope) ? note.bind(undefined, place) : known)(
        `unit:${homeOf(reader, binding, place)}`,
      );
    if (binding.init && (binding.isLoop || !isFresh(binding.init)))
      note(place, originOf(reader, binding.init, place) ?? UNKNOWN);
  }
}

/** The data that a value may be a part of: `@find ctx:items` for what `ctx.items.find()` returns. Undefined if that isn't known. */
function originOf(reader: Reader, value: Node, place: Place): string | undefined {
  const { root, members } = t.rootOf(value);
  const binding = t.bindingOf(root, place.scope);
  const alias = binding && aliasOf(binding);
  const isOfCtx = isCtx(root, place.scope) || root.type === 'ThisExpression';
  const keys = [...(isOfCtx ? members.map(t.plainName) : []), ...(alias === undefined ? [] : [alias])];
  const key = keys.find((one) => reader.source.keys.has(one));
  const own = binding?.fn ? undefined : reader.unitOf(binding);
  const names = members.join('.');
  if (key !== undefined) return `@${names} ctx:${key}`;
  if (root.type === 'ThisExpression') return `@${names} unit:${madeBy(reader, root, place)}`;
  if (binding?.kind === 'import' && isOwnImport(binding.specifier))
    return `@${names} import:${binding.specifier}\n${binding.imported}`;
  if (own !== undefined) return `@${names} unit:${own}`;
  const isLocal = binding?.kind === 'variable' && binding.fn === place.scope.fn && binding.init !== value;
  return isLocal && binding.init && !t.isFunction(t.bare(binding.init))
    ? originOf(reader, binding.init, place)
    : undefined;
}

/** The unit that made `this`. `X.prototype.m = function () { this.n++; }` changes what `X` made. */
function madeBy(reader: Reader, node: Node, { name, scope }: Place): string {
  let at = node.parent;
  while (name === INIT && at && !(t.isFunction(at) && at.parent.type === 'AssignmentExpression'))
    at = at.parent;
  const owner =
    name === INIT && at ? reader.unitOf(t.bindingOf(t.rootOf(at.parent.left).root, scope)) : undefined;
  return owner ?? name.split(/[.:]/)[0] ?? name;
}
