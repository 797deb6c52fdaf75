import { declarationBehind } from './factory.js';
import { CTX, type Flow, type Followed, type Watcher } from './flow.js';
import { makes, type Place, type Wrapper, wrapperOf } from './known-calls.js';
import { importedBy, type Names } from './names.js';
import {
  bare,
  constantText,
  type FunctionNode,
  isFunction,
  type Node,
  type Of,
  propertyName,
  walk,
} from './syntax.js';

/** How many parameters of a function may be `ctx`, where no convention says which is. */
const PLACES = [0, 1, 2, 3, 4];
const HELD: Followed = { path: ['ctx'] };

/** The types of the framework that `ctx` has. */
const TYPED = /^[\s:(]*(?:Readonly<|Pick<|Omit<)?\s*(?:RuntimeCtx|SingletonCtx)\b/;

/** Where `ctx` comes into a module from outside. */
export class Seeds {
  constructor(
    private readonly names: Names,
    private readonly flow: Flow,
    private readonly watcher: Watcher,
    private readonly text: string,
  ) {}

  /** In all calls of wrappers, and in parameters that say so by their type. */
  known(): void {
    const hasTypes = /(?:Runtime|Singleton)Ctx/.test(this.text);
    for (const node of this.names.nodes)
      if (node.type === 'CallExpression') this.#call(node);
      else if (hasTypes && isFunction(node)) this.#typed(node);
  }

  /** In all that a module exports, where no wrapper says what it is. */
  conventions(program: Of<'Program'>): void {
    const exported = program.body.find(({ type }) => type === 'ExportDefaultDeclaration');
    if (exported?.type === 'ExportDefaultDeclaration') return this.convention(exported.declaration);
    for (const node of program.body) {
      if (node.type !== 'ExportNamedDeclaration' || node.source) continue;
      const { declaration } = node;
      if (declaration?.type === 'VariableDeclaration') {
        for (const { init } of declaration.declarations) if (init) this.convention(init);
      } else if (declaration) this.#any(declaration);
      for (const { local } of node.specifiers) if (local.type === 'Identifier') this.convention(local);
    }
  }

  /**
   * In what a file exports that a convention reads: any parameter of a function that it makes, or hands to what is not known, may
   * be `ctx`.
   */
  convention(exported: Node): void {
    const node = bare(exported);
    if (node.type === 'CallExpression') {
      const wrapper = importedBy(node.callee, this.names);
      if (wrapper && wrapperOf(wrapper)) return;
      if (node.callee.type === 'MemberExpression') this.convention(node.callee.object);
      for (const one of node.arguments) this.#any(one);
    } else if (node.type === 'Identifier') {
      const declaration = this.names.bindings.get(node)?.declaration;
      if (declaration?.type === 'VariableDeclarator' && declaration.init) this.convention(declaration.init);
      else this.#any(node);
    } else this.#any(node);
  }

  #any(given: Node): void {
    const node = bare(given);
    const target = declarationBehind(node, this.names.bindings);
    if (isFunction(target)) {
      const typed = target.params.findIndex((one) => this.#isTyped(one));
      if (typed < 0) for (const index of target.params.keys()) this.flow.parameter(target, index, CTX);
      if (target.params.length === 0) this.flow.parameter(target, 0, CTX);
    } else if (node.type === 'ObjectExpression') {
      for (const one of node.properties) this.#any(one.type === 'Property' ? one.value : one.argument);
    } else if (node.type === 'ArrayExpression') {
      for (const one of node.elements) if (one) this.#any(one);
    } else if (node.type === 'CallExpression') {
      const imported = importedBy(node.callee, this.names);
      if (!makes(node.callee, this.names))
        this.watcher.lose(node, 'may come to what is made here, which cannot be followed');
      // Object.freeze({ run }); what a schema is made of is not called with ctx.
      else if (!imported) for (const one of node.arguments) this.#any(one);
    } else this.#imported(node);
  }

  /** A function of another module: any of its parameters may be `ctx`. */
  #imported(node: Node): void {
    const imported = importedBy(node, this.names);
    if (imported) for (const index of PLACES) this.watcher.pass(node, imported, index, CTX);
  }

  #call(node: Of<'CallExpression'>): void {
    if (node.callee.type === 'MemberExpression' && node.callee.property.type === 'Identifier') {
      if (node.callee.property.name === 'meta') for (const one of node.arguments) this.#metadata(one);
    }
    const imported = importedBy(node.callee, this.names);
    const wrapper = imported && wrapperOf(imported);
    if (!wrapper) return;
    if (wrapper.argument !== undefined) this.#handed(node, wrapper.argument, wrapper);
    if (wrapper.properties) this.#defined(node, wrapper.properties);
  }

  #handed(node: Of<'CallExpression'>, place: Place, { index }: Wrapper): void {
    const handler = index === undefined ? node.arguments.at(-1) : node.arguments[index];
    if (handler) this.#handler(handler, place);
    if (node.arguments.some(({ type }) => type === 'SpreadElement'))
      this.watcher.lose(node, 'comes to a handler that is spread from elsewhere');
  }

  #handler(given: Node, place: Place): void {
    const [at, value] = place === 'ctx' ? [0, HELD] : [place, CTX];
    const target = declarationBehind(given, this.names.bindings);
    if (isFunction(target)) return this.flow.parameter(target, at, value);
    const imported = importedBy(given, this.names);
    if (imported) this.watcher.pass(given, imported, at, value);
    else this.watcher.lose(given, 'comes to a handler that is made elsewhere');
  }

  #defined(node: Of<'CallExpression'>, places: Readonly<Record<string, Place>>): void {
    const object = this.#object(node.arguments[0]);
    if (!object) return this.watcher.lose(node, 'comes to a definition that is made elsewhere');
    for (const one of object.properties) {
      const name = one.type === 'Property' ? propertyName(one.key, one.computed) : undefined;
      if (one.type !== 'Property' || name === undefined) {
        this.watcher.lose(one, 'comes to a definition that is made elsewhere');
        continue;
      }
      const place = Object.hasOwn(places, name) ? places[name] : undefined;
      if (place === undefined) continue;
      const value = bare(one.value);
      // The value of di() is data where it is no function itself.
      if (value.type === 'ObjectExpression' && name === 'value') continue;
      if (value.type === 'ObjectExpression')
        for (const inner of value.properties)
          this.#handler(inner.type === 'Property' ? inner.value : inner.argument, place);
      else if (
        name !== 'value' ||
        isFunction(declarationBehind(value, this.names.bindings)) ||
        mayBeFunction(value)
      )
        this.#handler(value, place);
    }
  }

  /** Functions in the metadata of a route: `cache.key` and `rateLimit.by` get the request first. */
  #metadata(given: Node): void {
    walk(given, (node) => {
      if (!isFunction(node)) return undefined;
      for (const index of node.params.keys())
        if (index > 0 || !/^_?req/.test(this.text.slice(node.params[0]?.start)))
          this.flow.parameter(node, index, CTX);
      return undefined;
    });
  }

  #object(given: Node | undefined): Of<'ObjectExpression'> | undefined {
    const node = given && bare(given);
    if (node?.type === 'ObjectExpression') return node;
    const binding = node?.type === 'Identifier' ? this.names.bindings.get(node) : undefined;
    const { declaration } = binding ?? {};
    if (!binding || binding.isAssigned || binding.references.length > 1) return undefined;
    const init =
      declaration?.type === 'VariableDeclarator' && declaration.init ? bare(declaration.init) : undefined;
    return init?.type === 'ObjectExpression' ? init : undefined;
  }

  #typed(node: FunctionNode): void {
    for (const [index, one] of node.params.entries())
      if (this.#isTyped(one)) this.flow.parameter(node, index, CTX);
  }

  #isTyped(parameter: Node): boolean {
    const inner = parameter.type === 'TSParameterProperty' ? parameter.parameter : parameter;
    const pattern = inner.type === 'AssignmentPattern' ? inner.left : inner;
    const annotation = 'typeAnnotation' in pattern ? pattern.typeAnnotation : undefined;
    return annotation ? TYPED.test(this.text.slice(annotation.start, annotation.end)) : false;
  }
}

/** Whether the value of `di` could be a factory: everything but what is plainly data. */
const mayBeFunction = (node: Node): boolean =>
  constantText(node) === undefined &&
  node.type !== 'ObjectExpression' &&
  node.type !== 'ArrayExpression' &&
  node.type !== 'NewExpression' &&
  node.type !== 'UnaryExpression' &&
  node.type !== 'TemplateLiteral';
