import { readdirSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';
import { type Facts, fileOf, idOf, type UnitId } from '../facts/facts.js';
import { bare, eachChild, memberName, type Node, type Of, propertyName } from '../facts/syntax.js';
import type { Graph } from '../graph/graph.js';
import { Addresses, type Endpoint, type Spelled, spelledIn } from './endpoints.js';
import { hasTestName, isModule, isTestFile } from './file-kinds.js';
import type { Spread } from './spread.js';

/** Directories without tests of the project. */
const APART = /^(node_modules|dist|coverage|public|fixtures|\..*)$/;
const RUNNER = /^(node:test|vitest|uvu|ava|tap|mocha|@playwright\/test|@jest\/globals|bun:test)$/;

/** The modules of the tests of a project, those that are only imported by others included. Relative to its root. */
export function findTestModules(root: string): string[] {
  const found: string[] = [];
  const look = (directory: string): void => {
    for (const entry of readdirSync(path.join(root, directory), { withFileTypes: true })) {
      if (APART.test(entry.name)) continue;
      const file = path.posix.join(directory, entry.name);
      if (entry.isDirectory()) look(file);
      else if (isModule(file) && isTestFile(file)) found.push(file);
    }
  };
  look('');
  return found.sort();
}

/** What is asked of the tests of one version. */
export interface TestQuestion {
  readonly graph: Graph;
  /** Relative to the source directory, as the graph has them. */
  readonly modules: readonly string[];
  readonly spread: Spread;
  /** Those that there are, and that there were. */
  readonly endpoints: readonly Endpoint[];
  readonly reached: ReadonlySet<Endpoint>;
  /** Whether anything is answered in another way. */
  readonly isAnything: boolean;
}

/** The test files among modules of tests: by their name, or because nobody imports them and they run tests. */
export function testFiles({ graph, modules }: Pick<TestQuestion, 'graph' | 'modules'>): string[] {
  const imported = new Set<string>();
  for (const file of modules)
    for (const { name } of graph.modules.get(file)?.units.values() ?? [])
      for (const to of graph.next(idOf(file, name))) if (fileOf(to) !== file) imported.add(fileOf(to));
  return modules.filter((file) => {
    if (hasTestName(file)) return true;
    const facts = graph.modules.get(file);
    return !imported.has(file) && facts !== undefined && runsTests(facts);
  });
}

const runsTests = (facts: Facts): boolean => [...facts.imports].some((specifier) => RUNNER.test(specifier));

/** The test files that may tell a change: relative to the source directory. */
export function reachedTests(question: TestQuestion): string[] {
  const { graph, modules, spread, endpoints } = question;
  const files = testFiles(question);
  if (files.length === 0) return [];
  const own = new Set(modules);
  const addressed = endpoints.filter((one): one is Addressed => one.address !== undefined);
  const table = new Addresses(addressed.map((endpoint) => ({ ...endpoint.address, endpoint })));
  return files.filter((file) => {
    if (spread.reachesFile(file)) return true;
    const closure = [...closureOf(graph, file, own)];
    const texts = closure.filter((one) => own.has(one)).map((one) => textsOf(graph, one));
    const ofProject = closure.filter((one) => !own.has(one));
    return tries({ texts, ofProject }, question, table);
  });
}

interface Addressed extends Endpoint {
  readonly address: NonNullable<Endpoint['address']>;
}

/** What a test file consists of: texts of modules of tests, and the modules of the project that they import. */
interface Tested {
  readonly texts: readonly TestTexts[];
  readonly ofProject: readonly string[];
}

function tries(
  { texts, ofProject }: Tested,
  { graph, spread, endpoints, reached, isAnything }: TestQuestion,
  table: Addresses<Addressed['address'] & { readonly endpoint: Endpoint }>,
): boolean {
  if (texts.some(({ importsAnything }) => importsAnything)) return isAnything;
  const asked = new Set<Endpoint>();
  for (const { spelled } of texts)
    for (const one of spelled) for (const { endpoint } of table.spelledBy(one)) asked.add(endpoint);
  for (const endpoint of endpoints)
    if (endpoint.name !== undefined && texts.some(({ words }) => words.has(endpoint.name ?? '')))
      asked.add(endpoint);
  if ([...asked].some((endpoint) => reached.has(endpoint))) return true;
  const reads = texts.flatMap((one) => one.reads);
  if (reads.some(([key, member]) => readsReached(graph, spread, key, member))) return true;
  // One of which it is not known what it tries may try anything.
  const starts =
    texts.some((one) => one.starts) || ofProject.some((file) => startsApp(graph.modules.get(file)));
  return isAnything && asked.size === 0 && reads.length === 0 && (starts || ofProject.length === 0);
}

function readsReached(graph: Graph, spread: Spread, key: string, member: string): boolean {
  const keys = key === '*' ? [...graph.providers.keys()] : [key];
  return keys.some((one) => graph.behind(one, member).some((id) => spread.has(id)));
}

const startsApp = (facts: Facts | undefined): boolean =>
  [...(facts?.units.values() ?? [])].some(({ imports }) =>
    imports.some(({ specifier, name }) => specifier === 'fwkit' && /^(createApp|bootstrap)$/.test(name)),
  );

/** The modules that one of the tests imports, itself included; what those of the project import is theirs. */
function closureOf(graph: Graph, file: string, own: ReadonlySet<string>): Set<string> {
  const files = new Set([file]);
  for (const one of files) if (own.has(one)) for (const to of importsOf(graph, one)) files.add(to);
  return files;
}

/** The modules that one leads to, by imports or over `ctx`. */
function importsOf(graph: Graph, file: string): Set<string> {
  const units: UnitId[] = [...(graph.modules.get(file)?.units.keys() ?? [])].map((unit) => idOf(file, unit));
  const found = new Set(units.flatMap((id) => [...graph.next(id)]).map(fileOf));
  return new Set([...found].filter((one) => graph.modules.has(one)));
}

function textsOf(graph: Graph, file: string): TestTexts {
  return testTexts(file, graph.modules.get(file)?.text ?? '');
}

/** What a module of the tests says of the app that it tries. */
interface TestTexts {
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
function testTexts(file: string, text: string): TestTexts {
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
