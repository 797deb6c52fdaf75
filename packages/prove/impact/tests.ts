import { readdirSync } from 'node:fs';
import path from 'node:path';
import { type Facts, fileOf, type Graph, idOf, type UnitId } from '../graph/index.js';
import { Addresses } from './addresses.js';
import type { Endpoint } from './endpoints.js';
import { hasTestName, isModule, isTestFile } from './file-kinds.js';
import type { Spread } from './spread.js';
import { type TestTexts, testTexts } from './test-texts.js';

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
