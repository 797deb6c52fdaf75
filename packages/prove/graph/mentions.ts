import type { Declarations } from './declarations.js';
import { ANY, INIT, note, type Place } from './facts.js';
import { FILE_WRITE, GLOBAL_OBJECTS, KEEPERS, NETWORK, PURE_GLOBALS } from './known-calls.js';
import type { Node } from './syntax.js';
import * as t from './syntax.js';
import { aliasOf, isCtx, isOfFwk, isOfPackage, isOwnImport, isRequest, isTail } from './values.js';

/** Records the names that a node mentions. `key`: the property of its parent that holds the node. */
export function readMentions(module: Declarations, node: Node, key: string, place: Place): void {
  const { unit } = place;
  const defined = (node.id ?? node.key)?.name;
  if (defined !== undefined) module.facts.defines.add(defined);
  if (node.type === 'Identifier') {
    const isKey = !node.parent.computed && /^(property|key|label|id|meta)$/.test(key);
    if (!isKey && !module.declaring.has(node)) readName(module, node, place);
  } else if (node.type === 'MemberExpression') readMember(module, node, place);
  else if (node.type === 'TemplateElement') unit.strings.add(node.value.cooked ?? '');
  else if (node.type === 'Literal') {
    const text = t.textOf(node) ?? '';
    unit.strings.add(text);
    for (const [word] of node.regex?.pattern.matchAll(/[\w-]{3,}/g) ?? []) unit.strings.add(word);
    // A text can be the path of a module: `new URL('./worker.js', import.meta.url)`.
    if (/^\.\.?\/[^\n]+$/.test(text)) readImport(module, text, ANY, node, place);
  } else if (node.type === 'ObjectPattern')
    for (const one of node.properties)
      readKey(module, t.keyName(one) ?? '', membersIn(one.value), one, place);
  else if (node.type === 'ImportExpression') readDynamicImport(module, node.source, node, place);
  else if (t.isCall(node)) readCall(module, node, place);
}

function readImport(module: Declarations, specifier: string, name: string, node: Node, place: Place): void {
  module.facts.specifiers.add(specifier);
  module.mention(place, node, `import:${specifier}\n${name}`);
  if (!/^(node:)?fs(\/promises)?$/.test(specifier)) return;
  if (FILE_WRITE.test(name)) note(place.unit.writes, 'state:fs', place.bits);
  else module.mention(place, node, 'state:fs');
}

/** Reads `import()` or `require()` of a text, or of a template that begins with a path. */
function readDynamicImport(module: Declarations, source: Node, node: Node, place: Place): void {
  const specifier = t.textOf(source) ?? t.textOf(t.bare(source).arguments?.[0]);
  if (specifier !== undefined) return readImport(module, specifier, ANY, node, place);
  const prefix = t.bare(source).quasis?.[0]?.value.cooked ?? '';
  const isPath = /^\.\.?\//.test(prefix);
  place.unit.mention(`later:${isPath ? prefix : ANY}`);
  if (!isPath) module.lose(place, node, 'import() of a computed name');
}

type Names = readonly string[];

const spell = ({ unit, bits }: Place, name: string): unknown => note(unit.spells, name, bits);

/** A property that has the name of a value of `ctx` counts as this value. `members`: the names that follow. */
function readKey(module: Declarations, name: string, members: Names, node: Node, place: Place): void {
  spell(place, name);
  const key = t.plainName(name);
  if (!module.source.keys.has(key)) return;
  module.mention(place, node, ...['', ...members].map((member) => `ctx:${key}\n${member}`));
}

/** The property names in a pattern. The members of a variable are read where the variable is used. */
function membersIn(pattern: Node | undefined): Names {
  const target = pattern?.type === 'AssignmentPattern' ? pattern.left : pattern;
  if (target?.type === 'Identifier') return [];
  return target?.properties?.map((one) => t.keyName(one) ?? ANY) ?? [ANY];
}

function membersAround(node: Node): Names {
  const member = t.memberOf(node);
  if (member) return [t.keyName(member) ?? ANY];
  return t.above(node).type === 'VariableDeclarator' ? membersIn(t.above(node).id) : [ANY];
}

function readName(module: Declarations, node: Node, place: Place): void {
  const binding = t.bindingOf(node, place.scope);
  if (!binding) return readGlobal(module, node.name, node, place);
  const { kind, specifier = '', imported = ANY } = binding;
  if (kind === 'import') {
    if (/^(node:)?process$/.test(specifier)) readProcess(imported === 'env', node, place);
    const member = imported === ANY || isOwnImport(specifier) ? t.memberOf(node) : undefined;
    const below = member && (t.keyName(member) ?? ANY);
    const name = imported === ANY ? (below ?? ANY) : `${imported}${below === undefined ? '' : `.${below}`}`;
    return readImport(module, specifier, name, (imported === ANY && member) || node, place);
  }
  const unit = module.unitOf(binding);
  const alias = aliasOf(binding);
  if (unit !== undefined) module.mention(place, node, `unit:${unit}`);
  if (alias !== undefined) readKey(module, alias, membersAround(node), node, place);
  if (isCtx(node, place.scope)) checkUseOfCtx(module, node, place);
  if (kind !== 'param' || node.name !== 'next' || isTail(node, place.scope)) return;
  const isArgument = t.isCall(t.above(node)) && !t.callOf(node);
  place.unit.marks.add(isArgument ? 'passesNext' : 'aroundNext');
}

function readGlobal(module: Declarations, name: string, node: Node, place: Place): void {
  const { unit } = place;
  const member = t.memberOf(node);
  if (NETWORK.test(name)) unit.mention(`net:${name}`);
  else if (name === 'eval' || name === 'Function') module.lose(place, node, name);
  else if (name === 'process') readProcess(false, node, place);
  else if (name === 'require') readDynamicImport(module, t.callOf(node)?.arguments[0] ?? node, node, place);
  else if (GLOBAL_OBJECTS.test(name) && member) readGlobal(module, t.keyName(member) ?? ANY, member, place);
  else if (GLOBAL_OBJECTS.test(name)) for (const one of ['net:*', 'env:*']) unit.mention(one);
  else if (!PURE_GLOBALS.test(name)) module.mention(place, node, `state:global:${name}`);
}

/** Reads an expression that is `process`, or `process.env`. */
function readProcess(isEnv: boolean, node: Node, place: Place): void {
  const { unit } = place;
  const member = t.memberOf(node);
  const names = membersAround(node);
  const [name = ANY] = names;
  if (isEnv) {
    for (const one of [name, ...names]) unit.mention(`env:${one}`);
    if (member && /^(Assignment|Update)/.test(t.above(member).type))
      note(unit.writes, `env:${name}`, place.bits);
  } else if (!member) {
    if (t.above(node).type !== 'ExpressionStatement') unit.mention(`env:${ANY}`);
  } else if (/^(env|default)$/.test(name)) readProcess(name === 'env', member, place);
  else if (/^(\*|getBuiltinModule|binding|mainModule)$/.test(name))
    unit.mention(`node:${t.textOf(t.callOf(member)?.arguments[0])?.replace(/^node:/, '') ?? ANY}`);
}

function readMember(module: Declarations, node: Node, place: Place): void {
  const { unit, scope } = place;
  const name = t.keyName(node);
  const object = t.bare(node.object);
  const binding = t.bindingOf(object, scope);
  const isOther = binding?.kind === 'import' && (binding.imported === ANY || !isOwnImport(binding.specifier));
  const isTable = /^(Object|Array)Expression$/.test((binding?.init && t.bare(binding.init).type) ?? '');
  if (name !== undefined) spell(place, name);
  else if (t.callOf(node) && !isTable)
    unit.marks.add(t.bindingOf(t.bare(node.property), scope)?.path?.length === 0 ? 'indexed' : 'indexed:*');
  if (isCtx(node, scope)) checkUseOfCtx(module, node, place);
  if (name === undefined || isOther || (object.type === 'Identifier' && !binding)) return;
  if (!isRequest(object, binding)) return readKey(module, name, membersAround(node), node, place);
  // `res.header(name, value)` sets a header of the response.
  if ((t.callOf(node)?.arguments.length ?? 0) > 1) return;
  for (const one of name === 'header' ? [t.textOf(t.callOf(node)?.arguments[0]) ?? ANY] : membersAround(node))
    if (/^headers?$/.test(name)) unit.marks.add(`header:${one.toLowerCase()}`);
    else if (name === 'cookies' || name === 'query') unit.marks.add(`${name}:${one}`);
}

function readCall(module: Declarations, call: Node, place: Place): void {
  const { unit, scope, name } = place;
  const callee = t.bare(call.callee);
  const own = t.bindingOf(callee, scope);
  const [first] = call.arguments;
  const text = t.textOf(first);
  if (place.bits !== 0) unit.marks.add('runs');
  if (isOfFwk(own) && own?.imported === 'view' && first) {
    const prefix = t.bare(first).quasis?.[0]?.value.cooked ?? '';
    module.mention(place, call, `view:${text ?? `${prefix}${ANY}`}`);
  }
  if (isOfFwk(own) && own?.imported === 'file') unit.mention('node:fs');
  if (own?.init && first && /createRequire/.test(module.textAt(own.init)))
    readDynamicImport(module, first, call, place);
  const isText = /^set(Timeout|Interval)$/.test(callee.name ?? '') && text !== undefined;
  if (isText || t.keyName(callee) === 'constructor') module.lose(place, call, 'code in a text');
  if (own?.kind === 'import' && name === INIT && !isOwnImport(own.specifier))
    note(unit.writes, `import:${own.specifier}\n*`, place.bits);
}

/** Finds uses of `ctx` as a whole after which code can read its keys without spelling them. */
function checkUseOfCtx(module: Declarations, node: Node, place: Place): void {
  const { parent } = t.outer(node);
  const member = t.memberOf(node);
  if (member && t.keyName(member) === undefined) {
    const key = t.bindingOf(t.bare(member.property), place.scope);
    const from = key?.init ?? (key ? undefined : member.property);
    // Other texts that a variable can hold are spelled somewhere.
    if (from && /\b(req|request|params|query|body)\b/.test(module.textAt(from)))
      module.lose(place, node, 'ctx is read by a computed name');
  } else if (t.isCall(parent) && parent.callee !== t.outer(node)) {
    const callee = t.bare(parent.callee);
    const { root } = t.rootOf(callee);
    const from = t.bindingOf(root, place.scope);
    const isGlobal = !from && root.type === 'Identifier';
    if (
      (isOfPackage(from) || isGlobal) &&
      !KEEPERS.test((callee.property ? t.keyName(callee) : callee.name) ?? '')
    )
      module.lose(place, node, `ctx is passed to ${module.textAt(callee).slice(0, 40)}()`);
  } else if (
    /^(SpreadElement|ForInStatement)$/.test(parent.type) ||
    (!member && membersAround(node).includes(ANY) && parent.id)
  )
    module.lose(place, node, 'all of ctx is read');
}
