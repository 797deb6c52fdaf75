import { visitorKeys } from 'oxc-parser';
import { importOf, type Names } from './names.js';
import { isClass, isTransparent, isType, type Node, type Of } from './syntax.js';
import { INIT, type Partition } from './units.js';

/** Where a node stands, how it is spelled, and what only types say. */
const SILENT = new Set(
  'type start end range loc parent raw shorthand tail accessibility declare definite override readonly abstract importKind exportKind'.split(
    ' ',
  ),
);

/** What a unit says, the same for all ways to write it. What is imported goes by its name there, whatever it is called here. */
export function printOf(program: Of<'Program'>, parts: Partition, names: Names, unit: string): string {
  const printer = new Printer(parts, names, unit);
  if (unit === INIT) return program.body.map((statement) => printer.onImport(statement)).join('');
  return printer.topmost(program);
}

class Printer {
  constructor(
    private readonly parts: Partition,
    private readonly names: Names,
    private readonly unit: string,
  ) {}

  /** Of what a module runs when it is imported: what belongs to no other unit, and the places of those that run then. */
  onImport(statement: Node): string {
    switch (statement.type) {
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
        return '';
      case 'ExportNamedDeclaration':
        return statement.declaration ? this.onImport(statement.declaration) : '';
      case 'ExportDefaultDeclaration':
        return this.#place(statement.declaration);
      case 'VariableDeclaration':
        return statement.declarations.map((one) => this.#place(one)).join('');
      default:
        return isType(statement) ? '' : this.#place(statement);
    }
  }

  /** The nodes of a unit that are in none of the same unit. */
  topmost(node: Node): string {
    if (this.parts.of(node) === this.unit) return this.#print(node, false);
    return childrenOf(node, false)
      .map(([, child]) => this.topmost(child))
      .join('');
  }

  #place(node: Node): string {
    const owner = this.parts.of(node);
    if (owner === INIT) return this.#print(node, false);
    return this.parts.parts.get(owner)?.runsOnImport ? `#${owner};` : '';
  }

  #print(node: Node, keepsTypes: boolean): string {
    // A member may come, or go, without a word of the others: who uses it leads to it.
    if (this.parts.of(node) !== this.unit || this.#holdsOthers(node)) return '';
    if (!keepsTypes && isTransparent(node) && node.type !== 'ChainExpression')
      return childrenOf(node, false)
        .map(([, child]) => this.#print(child, false))
        .join('');
    if (!keepsTypes && isErased(node)) return '';
    if (node.type === 'Literal') return literal(node);
    if (node.type === 'Identifier') return this.#name(node);
    // Decorators may be told the types of what they stand at.
    const types = keepsTypes || hasDecorators(node);
    const words = scalarsOf(node);
    for (const [key, child] of childrenOf(node, types)) {
      const said = this.#print(child, types);
      if (said !== '') words.push(`${key}:${said}`);
    }
    return `${node.type}(${words.join()})`;
  }

  /** `const a = 1`, where `a` is a unit by itself. */
  #holdsOthers(node: Node): boolean {
    return (
      node.type === 'VariableDeclaration' &&
      node.declarations.every((one) => this.parts.of(one) !== this.unit)
    );
  }

  #name(node: Of<'Identifier'>): string {
    const binding = this.names.bindings.get(node);
    const imported = binding && importOf(binding);
    return imported ? `import ${JSON.stringify(imported)}` : node.name;
  }
}

/** The nodes right below one, with the property that they are in. */
function childrenOf(node: Node, withTypes: boolean): [key: string, child: Node][] {
  const found: [string, Node][] = [];
  for (const key of visitorKeys[node.type] ?? []) {
    const child: unknown = Reflect.get(node, key);
    const all = Array.isArray(child) ? child : [child];
    for (const one of all)
      if (one === null && all.length > 1) found.push([key, HOLE]);
      else if (isNode(one) && (withTypes || !isType(one))) found.push([key, one]);
  }
  return found;
}

/** An element that an array or a pattern leaves out. */
const HOLE = { type: 'EmptyStatement', start: 0, end: 0 } as Node;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value;

/** What a node says beside the nodes below it. */
function scalarsOf(node: Node): string[] {
  const words: string[] = [];
  for (const [key, value] of Object.entries(node)) {
    // Of a parameter or a member, that it is optional is a type.
    const isSaid = key !== 'optional' || node.type === 'MemberExpression' || node.type === 'CallExpression';
    if (SILENT.has(key) || !isSaid || value === null || value === undefined || value === false) continue;
    if (typeof value !== 'object') words.push(`${key}=${JSON.stringify(value)}`);
    // Of a piece of a template, as it is written and as it reads.
    else if (node.type === 'TemplateElement' && key === 'value') words.push(JSON.stringify(value));
  }
  return words;
}

function literal(node: Of<'Literal'>): string {
  if ('regex' in node && node.regex) return `regex ${JSON.stringify(node.regex)}`;
  if ('bigint' in node && node.bigint) return `${node.bigint}n`;
  // Numbers beyond JSON: 1e999.
  return typeof node.value === 'number' ? String(node.value) : JSON.stringify(node.value);
}

/** Whether the compiler leaves nothing of a node. */
function isErased(node: Node): boolean {
  if (isType(node)) return true;
  if ('declare' in node && node.declare === true) return true;
  if (node.type === 'Identifier') return node.name === 'this';
  // A signature, which another one with a body follows.
  return node.type === 'MethodDefinition' && isType(node.value as Node);
}

function hasDecorators(node: Node): boolean {
  if (!isClass(node)) return false;
  const parts = node.body.body.flatMap((one): Node[] =>
    one.type === 'MethodDefinition' ? [one, ...(one.value.params as Node[])] : [one],
  );
  return [node, ...parts].some((one) => 'decorators' in one && one.decorators && one.decorators.length > 0);
}
