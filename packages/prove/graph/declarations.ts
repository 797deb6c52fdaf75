import { type Facts, INIT, LOADS, type Place, type Source, TAIL } from './facts.js';
import { IMPLICIT } from './known-calls.js';
import type { Binding, Node, Scope } from './syntax.js';
import * as t from './syntax.js';
import { isTail } from './values.js';

/** The units and the exports that one version of a module declares. */
export class Declarations {
  readonly scopes: ReadonlyMap<Node, Scope>;
  readonly declaring: ReadonlySet<Node>;
  readonly top: Scope;
  /** The units that begin at nodes. */
  readonly owners = new Map<Node, string>();
  /** Functions that return an object with methods, each with its unit. */
  readonly factories = new Map<Node, string>();

  constructor(
    readonly facts: Facts,
    readonly source: Source,
    program: Node,
  ) {
    const { at, declaring } = t.scopesOf(program);
    this.scopes = at;
    this.declaring = declaring;
    this.top = at.get(program) as Scope;
    for (const [statement] of t.childrenOf(program)) this.#declare(statement);
  }

  textAt = ({ start, end }: Pick<Node, 'start' | 'end'>): string => this.source.text.slice(start, end);
  lose = ({ unit }: Place, { start }: Node, why: string): unknown =>
    unit.lost.push({
      file: this.source.file,
      line: this.textAt({ start: 0, end: start }).split('\n').length,
      why,
    });

  unitOf = (binding: Binding | undefined): string | undefined =>
    binding && !/^(param|import)$/.test(binding.kind) ? this.owners.get(binding.node) : undefined;

  /** Records that the unit around `node` mentions something. */
  mention({ unit, scope, name, bits: own }: Place, node: Node, ...to: readonly string[]): void {
    const bits = own | (isTail(node, scope) ? TAIL : 0);
    for (const one of to) if (one !== `unit:${name}`) unit.mention(one, bits);
  }

  #declare(statement: Node): void {
    const { exports, stars, specifiers } = this.facts;
    const { type, declaration, source } = statement;
    const from = source ? t.nameOf(source) : undefined;
    if (from !== undefined) {
      specifiers.add(from);
      const load = this.facts.unit(`+${from}`);
      this.facts.unit(INIT).mention(`unit:+${from}`, LOADS);
      load.mention(`load:${from}`, LOADS);
      for (const texts of this.source.isCompared ? [load.prints, load.cores] : [])
        texts[this.source.version] = from;
    }
    if (type === 'ExportDefaultDeclaration') {
      exports.set('default', 'default');
      for (const node of [statement, declaration]) this.owners.set(node, 'default');
      this.#splitFactory('default', declaration, true);
      for (const one of (this.source.isProvider && t.bare(declaration).arguments) || []) {
        const given = t.bare(one);
        const value = given.properties?.find(({ key }) => key && t.nameOf(key) === 'value')?.value ?? given;
        const binding = t.bindingOf(value, this.top);
        this.#splitFactory('default', binding?.init ?? binding?.node ?? value, false);
      }
    } else if (type === 'ExportAllDeclaration') {
      if (statement.exported) this.#reexport(t.nameOf(statement.exported), `import:${from}\n*`);
      else stars.add(from ?? '');
    } else if (type !== 'ExportNamedDeclaration') this.#own(statement);
    else if (declaration) for (const [name, unit] of this.#own(declaration)) exports.set(name, unit);
    else
      for (const [{ local, exported }] of t.childrenOf(statement)) {
        const own = local && from === undefined ? t.bindingOf(local, this.top) : undefined;
        const imported = own?.kind === 'import' ? `import:${own.specifier}\n${own.imported}` : undefined;
        const through = from === undefined ? imported : local && `import:${from}\n${t.nameOf(local)}`;
        if (local)
          this.#reexport(t.nameOf(exported), through ?? `unit:${this.unitOf(own) ?? t.nameOf(local)}`);
      }
  }

  #reexport(name: string, to: string): void {
    const unit = this.facts.unit(`>${name}`);
    this.facts.exports.set(name, `>${name}`);
    if (to.startsWith('import:')) this.facts.specifiers.add(to.slice(7).split('\n')[0] ?? '');
    unit.mention(to, TAIL);
    if (this.source.isCompared) unit.prints[this.source.version] = to;
  }

  /** The names that a declaration declares, each with its unit. All names of a pattern are one unit. */
  #own(node: Node): readonly (readonly [name: string, unit: string])[] {
    const isNamed = node.declarations || /^(Function|Class|TSEnum|TSModule)/.test(node.type);
    const found = (isNamed ? (node.declarations ?? [node]) : []).flatMap((one) => {
      const names = t.boundBy(one.id).map(({ id }) => id.name);
      const [unit] = names;
      if (unit === undefined) return [];
      this.owners.set(one, unit);
      this.#splitFactory(unit, one.init ?? one, true);
      return names.map((name) => [name, unit] as const);
    });
    // Methods of a class are units, unless a package may call them without spelling their names.
    const base = node.superClass && t.bindingOf(t.rootOf(node.superClass).root, this.top);
    const isOfPackage =
      node.superClass && (!base || (base.kind === 'import' && !/^[.#@]/.test(base.specifier ?? '')));
    for (const [one] of t.isClass(node) && !isOfPackage ? t.childrenOf(node.body) : []) {
      const name = one.type === 'MethodDefinition' && one.kind === 'method' ? t.keyName(one) : undefined;
      if (name !== undefined && !IMPLICIT.test(name)) this.owners.set(one, `${node.id.name}.${name}`);
    }
    return found;
  }

  /** Splits a function into its local variables and functions, and the members of the object that it returns. */
  #splitFactory(name: string, given: Node, isOptional: boolean): void {
    const fn = t.bare(given);
    if (!t.isFunction(fn)) return;
    const inner = t.bare(fn.body);
    if (t.isFunction(inner)) {
      this.#splitFactory(name, inner, isOptional);
      if (this.factories.has(inner)) this.factories.set(fn, name);
      return;
    }
    const isBlock = fn.body.type === 'BlockStatement';
    const statements = isBlock ? t.childrenOf(fn.body).map(([one]) => one) : [];
    const returned = statements.flatMap((one) => (one.type === 'ReturnStatement' && one.argument) || []);
    const members = (isBlock ? returned : [fn.body]).flatMap((one) => {
      const result = t.bare(one);
      return (t.bare(result.arguments?.[0] ?? result).properties ?? []).filter(({ kind, value }) => {
        if (kind !== 'init' || t.isFunction(t.bare(value))) return kind === 'init';
        const own = t.bindingOf(value, this.scopes.get(fn) ?? this.top);
        return value.type === 'Identifier' && own?.kind !== 'param';
      });
    });
    if (isOptional && members.length === 0) return;
    this.factories.set(fn, name);
    for (const one of members) {
      const key = t.keyName(one);
      if (key !== undefined && !IMPLICIT.test(key)) this.owners.set(one, `${name}.${key}`);
    }
    for (const one of statements)
      for (const own of one.declarations ?? (one.type === 'FunctionDeclaration' ? [one] : [])) {
        const [first] = t.boundBy(own.id);
        if (first) this.owners.set(own, `${name}:${first.id.name}`);
      }
  }
}
