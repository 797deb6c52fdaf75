import { parseSync } from 'oxc-parser';
import {
  type Facts,
  INIT,
  MADE,
  NAMED,
  ONCE,
  type Place,
  type Reader,
  type Source,
  TAIL,
  UNSHARED,
  type Unit,
  WRITTEN,
} from './facts.js';
import { IMPLICIT } from './known-calls.js';
import { readMentions } from './mentions.js';
import type { Binding, Node, Scope } from './syntax.js';
import * as t from './syntax.js';
import { isPartOfAnswer, isPassedOn, isTail, marksOf, onlyWrites } from './values.js';
import { readWrites } from './writes.js';

export class ModuleReader implements Reader {
  readonly declaring: ReadonlySet<Node>;
  /** Functions that return an object with methods, each with its unit. */
  readonly factories = new Map<Node, string>();
  readonly #scopes: ReadonlyMap<Node, Scope>;
  readonly #top: Scope;
  readonly #owners = new Map<Node, string>();
  readonly #names: ReadonlySet<string>;
  readonly #prints = new Map<Unit, (readonly [text: string, isAnswer: boolean])[]>();

  constructor(
    readonly facts: Facts,
    readonly source: Source,
  ) {
    const parsed: { readonly program: unknown } = parseSync(source.file, source.text);
    const program = parsed.program as Node;
    const { at, declaring } = t.scopesOf(program);
    this.#scopes = at;
    this.#top = at.get(program) as Scope;
    this.declaring = declaring;
    for (const [statement] of t.childrenOf(program)) this.#declare(statement);
    this.#names = new Set(this.#owners.values());
    const making = { isMaking: true, isDiscarded: false };
    const place: Place = { unit: facts.unit(INIT), name: INIT, scope: this.#top, ...making };
    for (const [statement] of t.childrenOf(program)) this.#visit(statement, 'body', place);
    for (const [unit, parts] of this.#prints) {
      unit.prints[source.version] = parts.map(([text]) => text).join('');
      unit.cores[source.version] = parts.map(([text, isAnswer]) => (isAnswer ? '' : text)).join('');
    }
  }

  textAt = ({ start, end }: Pick<Node, 'start' | 'end'>): string => this.source.text.slice(start, end);
  lose = ({ unit }: Place, { start }: Node, why: string): unknown =>
    unit.lost.push({ line: this.textAt({ start: 0, end: start }).split('\n').length, why });

  unitOf = (binding: Binding | undefined): string | undefined =>
    binding && !/^(param|import)$/.test(binding.kind) ? this.#owners.get(binding.node) : undefined;

  /** Notes that the unit around `node` mentions something. */
  isUnit = (name: string): boolean => this.#names.has(name);

  mention({ unit, scope, name, isMaking, isDiscarded }: Place, node: Node, ...to: readonly string[]): void {
    const once = isMaking && isDiscarded ? ONCE : 0;
    const isBase = node.parent.superClass === node;
    const made = isBase ? NAMED : isMaking && t.callOf(node)?.type === 'NewExpression' ? MADE : 0;
    const plain = isPassedOn(node, scope) ? 0 : UNSHARED;
    const bits = once | made | plain | (onlyWrites(node) ? WRITTEN : 0) | (isTail(node, scope) ? TAIL : 0);
    for (const one of to) {
      if (one !== `unit:${name}`) unit.mention(one, bits);
      if (isBase) this.facts.unit(`${name}.constructor`).mention(one);
    }
  }

  #declare(statement: Node): void {
    const { exports, stars, statics, specifiers } = this.facts;
    const { type, declaration, source } = statement;
    const from = source ? t.nameOf(source) : undefined;
    if (from !== undefined) {
      specifiers.add(from);
      statics.set(from, (statics.get(from) ?? 0) | (1 << this.source.version));
    }
    if (type === 'ExportDefaultDeclaration') {
      exports.set('default', 'default');
      for (const node of [statement, declaration]) this.#owners.set(node, 'default');
      if (t.isFunction(declaration)) this.#factory('default', declaration, true);
      for (const one of (this.source.isProvider && t.bare(declaration).arguments) || []) {
        const given = t.bare(one);
        const value = given.properties?.find(({ key }) => key && t.nameOf(key) === 'value')?.value ?? given;
        const binding = t.bindingOf(value, this.#top);
        this.#factory('default', binding?.init ?? binding?.node ?? value, false);
      }
    } else if (type === 'ExportAllDeclaration' && !statement.exported) stars.add(from ?? '');
    else if (type === 'ExportAllDeclaration') this.#lead(t.nameOf(statement.exported), `import:${from}\n*`);
    else if (type !== 'ExportNamedDeclaration') this.#own(statement);
    else if (declaration) for (const [name, unit] of this.#own(declaration)) exports.set(name, unit);
    const isList = type === 'ExportNamedDeclaration' && !declaration;
    for (const [{ local, exported }] of isList ? t.childrenOf(statement) : []) {
      const own = local && from === undefined ? t.bindingOf(local, this.#top) : undefined;
      const of = own?.kind === 'import' ? `import:${own.specifier}\n${own.imported}` : undefined;
      const through = from === undefined ? of : local && `import:${from}\n${t.nameOf(local)}`;
      if (local) this.#lead(t.nameOf(exported), through ?? `unit:${this.unitOf(own) ?? t.nameOf(local)}`);
    }
  }

  /** An export that leads elsewhere is a unit of its own. */
  #lead(name: string, to: string): void {
    const unit = this.facts.unit(`>${name}`);
    this.facts.exports.set(name, `>${name}`);
    if (to.startsWith('import:')) this.facts.specifiers.add(to.slice(7).split('\n')[0] ?? '');
    unit.mention(to, TAIL);
    if (this.source.isCompared) unit.prints[this.source.version] = to;
  }

  /** The names that a declaration makes, each with its unit. All names of a pattern are one unit. */
  #own(node: Node): readonly (readonly [name: string, unit: string])[] {
    const found = (node.declarations ?? [node]).flatMap((one) => {
      const isNamed = node.declarations || /^(Function|Class|TSEnum|TSModule)/.test(node.type);
      const names = isNamed ? t.boundBy(one.id).map(({ id }) => id.name) : [];
      if (names[0] !== undefined) this.#owners.set(one, names[0]);
      if (names[0] !== undefined) this.#factory(names[0], one.init ?? one, true);
      return names.map((name) => [name, names[0] ?? name] as const);
    });
    // Methods of a class are units, unless a package may call them without spelling their names.
    const base = node.superClass && t.bindingOf(t.rootOf(node.superClass).root, this.#top);
    const isOfPackage =
      node.superClass && (!base || (base.kind === 'import' && !/^[.#@]/.test(base.specifier ?? '')));
    for (const [one] of t.isClass(node) ? t.childrenOf(node.body) : []) {
      if (one.type === 'PropertyDefinition' && one.key.type === 'PrivateIdentifier' && node.id)
        this.#owners.set(one, `${node.id.name}:#${one.key.name}`);
      const key = one.type === 'MethodDefinition' && one.kind === 'method' ? t.keyName(one) : undefined;
      const isUnit = one.kind === 'constructor' || (key && !isOfPackage && !IMPLICIT.test(key));
      if (isUnit) this.#owners.set(one, `${node.id.name}.${key ?? one.kind}`);
    }
    return found;
  }

  /** The variables, the local functions, and the members of what a function returns, as far as it is written out. */
  #factory(name: string, given: Node, isOptional: boolean): void {
    const fn = t.bare(given);
    if (!t.isFunction(fn)) return;
    const inner = t.bare(fn.body);
    if (t.isFunction(inner)) {
      this.#factory(name, inner, isOptional);
      if (this.factories.has(inner)) this.factories.set(fn, name);
      return;
    }
    const isBlock = fn.body.type === 'BlockStatement';
    const statements = isBlock ? t.childrenOf(fn.body).map(([one]) => one) : [];
    const results = isBlock
      ? statements.flatMap((one) => (one.type === 'ReturnStatement' && one.argument ? [one.argument] : []))
      : [fn.body];
    const members = results.flatMap((one) => {
      const result = t.bare(one);
      return (t.bare(result.arguments?.[0] ?? result).properties ?? []).filter((of) => {
        const own = of.value && t.bindingOf(t.bare(of.value), this.#scopes.get(fn) ?? this.#top);
        const isOwn = own ? own.kind !== 'param' : of.value?.type === 'Identifier';
        return (
          of.kind === 'init' && (t.isFunction(t.bare(of.value)) || (of.value.type === 'Identifier' && isOwn))
        );
      });
    });
    if (isOptional && members.length === 0) return;
    this.factories.set(fn, name);
    for (const one of members) {
      const key = t.keyName(one);
      if (key !== undefined && !IMPLICIT.test(key)) this.#owners.set(one, `${name}.${key}`);
    }
    for (const one of statements) {
      if (one.type === 'FunctionDeclaration') this.#owners.set(one, `${name}:${one.id.name}`);
      for (const own of one.declarations ?? []) {
        const [first] = t.boundBy(own.id);
        if (first) this.#owners.set(own, `${name}:${first.id.name}`);
      }
    }
  }

  #visit(node: Node, key: string, given: Place): void {
    // Imports are no code, and exports of names are units.
    const isImport = /^(Import|ExportAll)/.test(node.type) && node.type !== 'ImportExpression';
    if (isImport || (node.type === 'ExportNamedDeclaration' && !node.declaration)) return;
    const place = this.#placeOf(node, given);
    const print = this.#prints.get(place.unit) ?? [];
    this.#prints.set(place.unit, print);
    const isCode = place.name !== INIT || !/^(ExportNamed|Variable)Declaration$/.test(node.type);
    const isPrinted = isCode && this.source.isCompared;
    const isAnswer = isPrinted && isPartOfAnswer(node, place.scope);
    if (isPrinted) print.push([`${place.scope.fn ? '«' : '»'}${printed(node)}`, isAnswer]);
    readMentions(this, node, key, place);
    readWrites(this, node, place);
    for (const [child, of] of t.childrenOf(node)) this.#visit(child, of, place);
    if (isPrinted) print.push([')', isAnswer]);
  }

  #placeOf(node: Node, given: Place): Place {
    const scope = this.#scopes.get(node) ?? given.scope;
    const name = this.#owners.get(node);
    if (name === undefined) {
      const isDiscarded = given.isDiscarded || node.type === 'ExpressionStatement';
      if (!t.isFunction(node)) return { ...given, scope, isDiscarded };
      const isCallback = given.isMaking && given.isDiscarded && t.methodName(node) === undefined;
      return { ...given, scope, isMaking: this.#isService(node) || isCallback, isDiscarded: isCallback };
    }
    const unit = this.facts.unit(name);
    const isVariable = node.type === 'VariableDeclarator';
    const isField = node.type === 'PropertyDefinition';
    const isLocal = name.includes(':');
    if (/[.:]/.test(name)) unit.mention(`unit:${name.split(/[.:]/)[0]}`, NAMED);
    // Their code runs, but who makes them reads nothing of them.
    const isData = isField || (isVariable && !t.isFunction(node.init && t.bare(node.init)));
    if (isLocal && isData) given.unit.mention(`unit:${name}`, WRITTEN);
    for (const mark of isVariable ? marksOf(node, scope) : isField ? ['holder'] : []) unit.marks.add(mark);
    if (t.isClass(node) && t.childrenOf(node.body).some(([one]) => one.static)) unit.marks.add('holder');
    const isMade = isVariable && (!isLocal || given.isMaking);
    const isMaking = isMade || (this.source.isProvider && name === 'default') || this.#isService(node);
    return { unit, name, scope, isMaking, isDiscarded: false };
  }

  /** Whether a function makes a value of `ctx`, so that its code runs once. */
  #isService = (node: Node): boolean => this.source.isProvider && this.factories.get(node) === 'default';
}

const UNPRINTED =
  /^(type|start|end|parent|range|loc|raw|accessibility|override|readonly|abstract|declare|definite|shorthand|importKind|exportKind)$/;

function printed(node: Node): string {
  let text = `${node.type} ${node.type === 'VariableDeclarator' ? node.parent.kind : ''}${typeof (node.value as unknown)}`;
  for (const [key, value] of Object.entries(node)) {
    if (UNPRINTED.test(key) || typeof value === 'object' || value === undefined || value === false) continue;
    if (key !== 'optional' || /^(Member|Call)Expression$/.test(node.type)) text += ` ${key}=${value}`;
  }
  if (node.type === 'TemplateElement') text += node.value.raw;
  return `${text}${node.regex ? ` ${node.regex.pattern}/${node.regex.flags}` : ''}(`;
}
