import { ANY, INIT, type Place, type Reader } from './facts.js';
import { FILE_WRITE, GLOBAL_OBJECTS, KEEPERS, NETWORK, PURE_GLOBALS } from './known-calls.js';
import type { Node } from './syntax.js';
import * as t from './syntax.js';
import { aliasOf, isCtx, isOfFwk, isOwnImport, isRequest, isTail } from './values.js';

/** Notes what a node mentions by name. `key`: the property of its parent that holds it. */
export function readMentions(reader: Reader, node: Node, key: string, place: Place): void {
  const { unit } = place;
  const defined = (node.id ?? node.key)?.name;
  if (defined !== undefined) reader.facts.defines.add(defined);
  if (node.type === 'Identifier') {
    const isKey = !node.parent.computed && /^(property|key|label|id|meta)$/.test(key);
    if (!isKey && !reader.declaring.has(node)) readName(reader, node, place);
  } else if (node.type === 'MemberExpression') readMember(reader, node, place);
  else if (node.type === 'PrivateIdentifier') {
    const field = `${place.name.split(/[.:]/)[0]}:#${node.name}`;
    const used = node.parent.type === 'MemberExpression' ? node.parent : node;
    if (node.parent.type !== 'PropertyDefinition' && reader.isUnit(field))
      reader.mention(place, used, `unit:${field}`);
  } else if (node.type === 'TemplateElement') unit.strings.add(node.value.cooked ?? '');
  else if (node.type === 'Literal') {
    const text = t.textOf(node) ?? '';
    unit.strings.add(text);
    // The path of a module: `new URL('./worker.js', import.meta.url)`.
    if (/^\.\.?\/[^\n]+$/.test(text)) imported(reader, text, ANY, node, place);
  } else if (node.type === 'ObjectPattern')
    for (const one of node.properties)
      readKey(reader, (one.key && t.keyName(one)) ?? '', membersIn(one.value), one, place);
  else if (node.type === 'ImportExpression') importedLater(reader, node.source, node, place);
  else if (t.isCall(node)) readCall(reader, node, place);
}

function imported(reader: Reader, specifier: string, name: string, node: Node, place: Place): void {
  reader.facts.specifiers.add(specifier);
  reader.mention(place, node, `import:${specifier}\n${name}`);
  if (!/^(node:)?fs(\/promises)?$/.test(specifier)) return;
  if (FILE_WRITE.test(name)) place.unit.writes.add('state:fs');
  else reader.mention(place, node, 'state:fs');
}

const spell = ({ unit, isMaking }: Place, name: string): unknown =>
  (isMaking ? unit.makingSpells : unit.spells).add(name);

/** Notes that a name may be a value of `ctx`, and which members of it follow. */
function readKey(reader: Reader, name: string, members: readonly string[], node: Node, place: Place): void {
  spell(place, name);
  const key = t.plainName(name);
  const { type, left } = t.above(node);
  // `this.bus = bus`: the members follow where the property is read.
  const isKept =
    type === 'AssignmentExpression' && left.property && t.plainName(t.keyName(left) ?? '') === key;
  const mentions = ['', ...(isKept ? [] : members)].map((member) => `ctx:${key}\n${member}`);
  if (reader.source.keys.has(key)) reader.mention(place, node, ...mentions);
}

/** The members that a pattern names. A variable names none yet: its mentions do. */
function membersIn(pattern: Node | undefined): readonly string[] {
  const target = pattern?.type === 'AssignmentPattern' ? pattern.left : pattern;
  if (target?.type === 'Identifier') return [];
  return target?.properties?.map((one) => (one.key && t.keyName(one)) ?? ANY) ?? [ANY];
}

function membersAround(node: Node): readonly string[] {
  const member = t.memberOf(node);
  if (member) return [t.keyName(member) ?? ANY];
  return t.above(node).type === 'VariableDeclarator' ? membersIn(t.above(node).id) : [ANY];
}

function readName(reader: Reader, node: Node, place: Place): void {
  const binding = t.bindingOf(node, place.scope);
  if (!binding) return readGlobal(reader, node.name, node, place);
  const { kind, specifier = '', imported: name = ANY } = binding;
  if (kind === 'import') {
    if (/^(node:)?process$/.test(specifier)) readProcess(name === 'env', node, place);
    const member = name === ANY ? t.memberOf(node) : undefined;
    return imported(reader, specifier, member ? (t.keyName(member) ?? ANY) : name, member ?? node, place);
  }
  const unit = reader.unitOf(binding);
  const alias = aliasOf(binding);
  if (unit !== undefined) reader.mention(place, node, `unit:${unit}`);
  if (alias !== undefined) readKey(reader, alias, membersAround(node), node, place);
  if (isCtx(node, place.scope)) handedOn(reader, node, place);
  if (kind !== 'param' || node.name !== 'next' || isTail(node, place.scope)) return;
  const isArgument = t.isCall(t.above(node)) && !t.callOf(node);
  place.unit.marks.add(isArgument ? 'passesNext' : 'aroundNext');
}

function readGlobal(reader: Reader, name: string, node: Node, place: Place): void {
  const { unit } = place;
  const member = t.memberOf(node);
  if (NETWORK.test(name)) unit.mention(`net:${name}`);
  else if (name === 'eval' || name === 'Function') reader.lose(place, node, name);
  else if (name === 'process') readProcess(false, node, place);
  else if (name === 'require') importedLater(reader, t.callOf(node)?.arguments[0] ?? node, node, place);
  else if (GLOBAL_OBJECTS.test(name) && member) readGlobal(reader, t.keyName(member) ?? ANY, member, place);
  else if (GLOBAL_OBJECTS.test(name)) for (const one of ['net:*', 'env:*']) unit.mention(one);
  else if (!PURE_GLOBALS.test(name)) reader.mention(place, node, `state:global:${name}`);
}

/** `process` or, if `isEnv`, `process.env`, in whatever expression. */
function readProcess(isEnv: boolean, node: Node, place: Place): void {
  const { unit } = place;
  const member = t.memberOf(node);
  const names = membersAround(node);
  if (isEnv) {
    for (const name of names.length > 0 ? names : [ANY]) unit.mention(`env:${name}`);
    if (member && /^(Assignment|Update)/.test(t.above(member).type)) unit.writes.add(`env:${names[0]}`);
  } else if (member && /^(env|default)$/.test(names[0] ?? '')) readProcess(names[0] === 'env', member, place);
  else if (member && /^(\*|getBuiltinModule|binding|mainModule)$/.test(names[0] ?? ''))
    unit.mention(`node:${t.textOf(t.callOf(member)?.arguments[0])?.replace(/^node:/, '') ?? ANY}`);
  else if (!member && t.above(node).type !== 'ExpressionStatement') unit.mention(`env:${ANY}`);
}

function readMember(reader: Reader, node: Node, place: Place): void {
  const { unit, scope } = place;
  const name = t.keyName(node);
  const object = t.bare(node.object);
  const binding = t.bindingOf(object, scope);
  const isOther = binding?.kind === 'import' && (binding.imported === ANY || !isOwnImport(binding.specifier));
  if (name !== undefined) spell(place, name);
  else if (
    t.callOf(node) &&
    !/^(Object|Array)Expression$/.test((binding?.init && t.bare(binding.init).type) ?? '')
  )
    unit.marks.add(t.bindingOf(t.bare(node.property), scope)?.path?.length === 0 ? 'indexed' : 'indexed:*');
  if (isCtx(node, scope)) handedOn(reader, node, place);
  if (name === undefined || isOther || (object.type === 'Identifier' && !binding)) return;
  if (!isRequest(object, binding)) return readKey(reader, name, membersAround(node), node, place);
  for (const one of name === 'header' ? [t.textOf(t.callOf(node)?.arguments[0]) ?? ANY] : membersAround(node))
    if (/^headers?$/.test(name)) unit.marks.add(`header:${one.toLowerCase()}`);
    else if (name === 'cookies' || name === 'query') unit.marks.add(`${name}:${one}`);
}

/** `import()`, `require()`: a module that is imported when the code runs. */
function importedLater(reader: Reader, source: Node, node: Node, place: Place): void {
  const specifier = t.textOf(source) ?? t.textOf(t.bare(source).arguments?.[0]);
  if (specifier !== undefined) return imported(reader, specifier, ANY, node, place);
  const prefix = t.bare(source).quasis?.[0]?.value.cooked ?? '';
  const isKnown = /^\.\.?\/./.test(prefix);
  place.unit.mention(`later:${isKnown ? prefix : ANY}`);
  if (!isKnown) reader.lose(place, node, 'import() of a computed name');
}

function readCall(reader: Reader, call: Node, place: Place): void {
  const { unit, scope, name } = place;
  const callee = t.bare(call.callee);
  const own = t.bindingOf(callee, scope);
  const [first] = call.arguments;
  if (place.isMaking) unit.marks.add('runs');
  if (isOfFwk(own) && own?.imported === 'view' && first)
    reader.mention(
      place,
      call,
      `view:${t.textOf(first) ?? `${t.bare(first).quasis?.[0]?.value.cooked ?? ''}${ANY}`}`,
    );
  if (isOfFwk(own) && own?.imported === 'file') unit.mention('node:fs');
  if (own?.init && first && /createRequire/.test(reader.textAt(own.init)))
    importedLater(reader, first, call, place);
  const isText = /^set(Timeout|Interval)$/.test(callee.name ?? '') && t.textOf(first) !== undefined;
  if (isText || (callee.property && t.keyName(callee) === 'constructor'))
    reader.lose(place, call, 'code in a text');
  if (own?.kind === 'import' && name === INIT && !isOwnImport(own.specifier))
    unit.marks.add(`calls:${own.specifier}`);
}

/** `ctx` as a whole: only code that reads its keys without spelling them matters. */
function handedOn(reader: Reader, node: Node, place: Place): void {
  const { parent } = t.outer(node);
  const member = t.memberOf(node);
  if (member && t.keyName(member) === undefined) {
    const key = t.bindingOf(t.bare(member.property), place.scope);
    const from = key?.init ?? (key ? undefined : member.property);
    // The texts that a variable can hold are written somewhere, unless they come with a request.
    if (from && /\b(req|request|params|query|body)\b/.test(reader.textAt(from)))
      reader.lose(place, node, 'ctx is read by a computed name');
  } else if (t.isCall(parent) && parent.callee !== t.outer(node)) {
    const callee = t.bare(parent.callee);
    const from = t.bindingOf(t.rootOf(callee).root, place.scope);
    const isOfProject = from
      ? from.kind !== 'import' || isOwnImport(from.specifier) || isOfFwk(from)
      : t.rootOf(callee).root.type !== 'Identifier';
    const name = (callee.property ? t.keyName(callee) : callee.name) ?? '';
    if (!isOfProject && !KEEPERS.test(name))
      reader.lose(place, node, `ctx is passed to ${reader.textAt(callee).slice(0, 40)}()`);
  } else if (
    /^(SpreadElement|ForInStatement)$/.test(parent.type) ||
    (!member && membersAround(node).includes(ANY) && parent.id)
  )
    reader.lose(place, node, 'all of ctx is read');
}
