import { parseSync } from 'oxc-parser';
import { bare, eachChild, memberName, type Node, type Of, propertyName } from '../graph/syntax.js';
import { type Spelled, spelledIn } from './addresses.js';

/** What a module of the tests says of the app that it tries. */
export interface TestTexts {
  /** Beginnings of URLs. */
  readonly spelled: readonly Spelled[];
  /** All short texts: names of tools and jobs are among them. */
  readonly words: ReadonlySet<string>;
  /** What it reads of the `ctx` of an app: `app.ctx.books.list()` is `['books', 'list']`; `*` for what cannot be told. */
  readonly reads: readonly (readonly [key: string, member: string])[];
  /** Whether it starts the app, or a program, or speaks to a server. */
  readonly starts: boolean;
  /** Whether it imports what is only known when it runs. */
  readonly importsAnything: boolean;
}

/** What starts something, or asks something that runs: modules of Node, and packages. */
const OUTSIDE =
  /^(node:)?(child_process|cluster|dgram|http|http2|https|net|tls|worker_threads)$|^(fwkit\/testing|supertest|@playwright\/test|playwright.*|puppeteer.*|cypress|webdriver.*|selenium.*|execa|undici|axios|got|ky|node-fetch|ws|socket\.io.*|eventsource)(\/|$)/;
const STARTS_APP = /^(createApp|bootstrap)$/;
const LONGEST_WORD = 200;
const ANY = '*';

const known = new Map<string, { readonly text: string; readonly texts: TestTexts }>();

/** What a module says, from its text alone. Kept until the text is another. */
export function testTexts(file: string, text: string): TestTexts {
  const last = known.get(file);
  if (last?.text === text) return last.texts;
  const reader = new Reader();
  reader.visit(parseSync(file, text).program, undefined);
  known.set(file, { text, texts: reader });
  return reader;
}

class Reader implements TestTexts {
  readonly spelled: Spelled[] = [];
  readonly words = new Set<string>();
  readonly reads: [string, string][] = [];
  starts = false;
  importsAnything = false;
  /** Members of which more is known from around them. */
  readonly #told = new Set<Node>();

  visit(node: Node, parent: Node | undefined): void {
    switch (node.type) {
      case 'ImportDeclaration':
        if (node.importKind !== 'type') this.#imports(node.source.value, importedNames(node));
        return;
      case 'ExportAllDeclaration':
        return;
      case 'ImportExpression':
        if (node.source.type === 'Literal') this.#imports(String(node.source.value), [ANY]);
        else this.importsAnything = true;
        return;
      case 'Literal':
        return this.#text(node.value, isOpenIn(parent));
      case 'TemplateElement':
        return this.#text(node.value.cooked, !node.tail);
      case 'CallExpression':
        this.starts ||= node.callee.type === 'Identifier' && node.callee.name === 'fetch';
        break;
      case 'MemberExpression':
        this.#member(node);
        break;
      case 'Property':
        // const { ctx } = app
        if (parent?.type === 'ObjectPattern' && propertyName(node.key, node.computed) === 'ctx')
          this.reads.push([ANY, ANY]);
        break;
    }
    eachChild(node, (child) => this.visit(child, node));
  }

  #imports(specifier: string, names: readonly string[]): void {
    const startsApp = specifier === 'fwkit' && names.some((name) => name === ANY || STARTS_APP.test(name));
    this.starts ||= startsApp || OUTSIDE.test(specifier);
  }

  #text(value: unknown, isOpen: boolean): void {
    if (typeof value !== 'string' || value === '') return;
    if (value.length <= LONGEST_WORD) this.words.add(value);
    const url = spelledIn(value, isOpen);
    if (url) this.spelled.push(url);
  }

  /** `app.ctx`, `app.ctx.books`, `app.ctx.books.list`: the outermost of them is seen first. */
  #member(node: Of<'MemberExpression'>): void {
    const inner = memberIn(node);
    const innermost = inner && memberIn(inner);
    if (inner && innermost && isCtx(innermost)) this.#read(nameOf(inner), nameOf(node), [inner, innermost]);
    else if (inner && isCtx(inner)) this.#read(nameOf(node), ANY, [node, inner]);
    else if (isCtx(node)) this.#read(ANY, ANY, [node]);
  }

  #read(key: string, member: string, nodes: readonly Node[]): void {
    if (nodes.some((node) => this.#told.has(node))) return;
    for (const node of nodes) this.#told.add(node);
    this.reads.push([key, member]);
  }
}

const importedNames = ({ specifiers }: Of<'ImportDeclaration'>): string[] =>
  specifiers.map((one) =>
    one.type === 'ImportSpecifier' && one.imported.type === 'Identifier' ? one.imported.name : ANY,
  );

function memberIn({ object }: Of<'MemberExpression'>): Of<'MemberExpression'> | undefined {
  const node = bare(object);
  return node.type === 'MemberExpression' ? node : undefined;
}

const nameOf = (node: Of<'MemberExpression'>): string => memberName(node) ?? ANY;
const isCtx = (node: Of<'MemberExpression'>): boolean => memberName(node) === 'ctx';

/** Whether more may be added to a text: it is put together with others, or kept under a name. */
function isOpenIn(parent: Node | undefined): boolean {
  switch (parent?.type) {
    case 'CallExpression':
      return parent.callee.type === 'MemberExpression' && memberName(parent.callee) === 'join';
    case 'BinaryExpression':
    case 'VariableDeclarator':
    case 'AssignmentExpression':
    case 'AssignmentPattern':
    case 'ReturnStatement':
    case 'ArrowFunctionExpression':
      return true;
    default:
      return false;
  }
}
