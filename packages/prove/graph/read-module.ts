import { parseSync } from 'oxc-parser';
import { Declarations } from './declarations.js';
import { type Facts, INIT, MADE, ONCE, type Place, type Source } from './facts.js';
import { readMentions } from './mentions.js';
import type { Node } from './syntax.js';
import * as t from './syntax.js';
import { isPartOfAnswer, marksOf } from './values.js';
import { readWrites } from './writes.js';

/** Adds one version of a module to its facts. */
export function readModule(facts: Facts, source: Source): void {
  const parsed: { readonly program: unknown } = parseSync(source.file, source.text);
  const program = parsed.program as Node;
  const module = new Declarations(facts, source, program);
  const visit = (node: Node, key: string, given: Place): void => {
    const isImport = /^(Import|ExportAll)/.test(node.type) && node.type !== 'ImportExpression';
    if (isImport || (node.type === 'ExportNamedDeclaration' && !node.declaration)) return;
    const place = placeOf(module, node, given);
    const isCode = place.name !== INIT || !/^(ExportNamed|Variable)Declaration$/.test(node.type);
    const isPrinted = isCode && source.isCompared;
    const isAnswer = isPrinted && isPartOfAnswer(node, place.scope);
    const print = (text: string): void => {
      if (isPrinted) place.unit.prints[source.version] += text;
      if (isPrinted && !isAnswer) place.unit.cores[source.version] += text;
    };
    print(isPrinted ? printed(node) : '');
    readMentions(module, node, key, place);
    readWrites(module, node, place);
    for (const [child, of] of t.childrenOf(node)) visit(child, of, place);
    print(')');
  };
  const place = { unit: facts.unit(INIT), name: INIT, scope: module.top, bits: MADE };
  for (const [statement] of t.childrenOf(program)) visit(statement, 'body', place);
}

function placeOf(module: Declarations, node: Node, given: Place): Place {
  const { facts, source, scopes, owners, factories } = module;
  const scope = scopes.get(node) ?? given.scope;
  const name = owners.get(node);
  // A function that makes a value of `ctx` runs once.
  const isService = source.isProvider && factories.get(node) === 'default';
  if (name === undefined) {
    const discarded = given.bits !== 0 && node.type === 'ExpressionStatement' ? ONCE : 0;
    const isSame = !t.isFunction(node) && scope === given.scope && (given.bits | discarded) === given.bits;
    if (isSame) return given;
    if (!t.isFunction(node)) return { ...given, scope, bits: given.bits | discarded };
    return { ...given, scope, bits: isService ? MADE : isMethod(node) ? 0 : given.bits & ONCE };
  }
  const unit = facts.unit(name);
  const isVariable = node.type === 'VariableDeclarator';
  const isLocal = name.includes(':');
  if (/[.:]/.test(name)) unit.mention(`unit:${name.split(/[.:]/)[0]}`);
  // A function that gets the object may use this member: `return makeShop({ clock })`.
  const call = node.type === 'Property' ? t.above(node.parent) : node;
  if (t.isCall(call) && t.bindingOf(t.rootOf(call.callee).root, scope)) given.unit.mention(`unit:${name}`);
  // The initializer of a local variable runs.
  if (isLocal && isVariable && !t.isFunction(node.init && t.bare(node.init)))
    given.unit.mention(`unit:${name}`);
  for (const mark of isVariable ? marksOf(node, scope) : []) unit.marks.add(mark);
  if (t.isClass(node) && t.childrenOf(node.body).some(([one]) => one.static)) unit.marks.add('holder');
  const isMade = isVariable && (!isLocal || given.bits !== 0);
  const isMaking = isMade || (source.isProvider && name === 'default') || isService;
  return { unit, name, scope, bits: isMaking ? MADE : 0 };
}

/** Whether others call a function by the name of a property: `{ name() {} }`, `x.name = () => {}`. */
function isMethod(fn: Node): boolean {
  const parent = t.above(fn);
  if (parent.type === 'AssignmentExpression') return parent.left.type === 'MemberExpression';
  const isProperty = /^(Property|PropertyDefinition|MethodDefinition)$/.test(parent.type);
  return isProperty && !/^(constructor|get)$/.test(parent.kind);
}

const UNPRINTED =
  /^(type|start|end|parent|range|loc|raw|accessibility|override|readonly|abstract|declare|definite|shorthand|importKind|exportKind)$/;

function printed(node: Node): string {
  const kind = node.type === 'VariableDeclarator' ? node.parent.kind : '';
  let text = `${node.type} ${kind}${typeof (node.value as unknown)}`;
  for (const [key, value] of Object.entries(node)) {
    if (UNPRINTED.test(key) || typeof value === 'object' || value === undefined || value === false) continue;
    if (key !== 'optional' || /^(Member|Call)Expression$/.test(node.type)) text += ` ${key}=${value}`;
  }
  if (node.type === 'TemplateElement') text += node.value.raw;
  return `${text}${node.regex ? ` ${node.regex.pattern}/${node.regex.flags}` : ''}(`;
}
