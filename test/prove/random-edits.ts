import { readdirSync } from 'node:fs';
import { parseSync, Visitor } from 'oxc-parser';
import type { TestApp, TestVisitor } from '../../testkit/index.js';
import { Random } from '../fuzz/random.js';
import { patience } from '../harness/patience.js';
import { createTestApp } from '../harness/testing.js';
import { endpointsOf, type Repository } from './impact-repository.js';

// Edits the sources of an app at random, asks all its routes before and after, and compares the changes with the list of `fwk impact`.

interface Trial {
  /** One request per line: the user or `-`, then the method, the path and the body. */
  readonly requests: string;
  readonly count: number;
  readonly seed: number;
  /** Called before each start of the app. */
  readonly reset: () => void;
}

interface Result {
  /** Edits that changed responses of routes that aren't listed. */
  readonly missed: readonly string[];
  readonly summary: string;
}

interface Edit {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly to: string;
}

export async function tryEdits(repo: Repository, { requests, count, seed, reset }: Trial): Promise<Result> {
  const sent = requests.trim().split('\n').map(parseRequest);
  // An edit after which the app throws outside of a request, which would end a server, is skipped.
  const run = async () => {
    let hasCrashed = false;
    const onError = () => {
      hasCrashed = true;
    };
    reset();
    process.on('uncaughtException', onError);
    const found = await responses(repo.root, sent).finally(() => process.off('uncaughtException', onError));
    return hasCrashed ? undefined : found;
  };
  const [first, again] = [await run(), await run()];
  if (!first || !again) throw new Error('The app does not start.');
  const labels = sent.map((one) => first.labelOf(one));
  const stable = labels.map((_, index) => first.texts[index] === again.texts[index]);
  const missed: string[] = [];
  const factors: number[] = [];
  const sums = { listed: 0, changed: 0, starts: 0 };
  for (const { file, start, end, to } of randomEdits(repo, count, seed)) {
    const text = repo.read(file);
    repo.write(file, text.slice(0, start) + to + text.slice(end));
    try {
      const now = await run();
      if (!now) continue;
      sums.starts += 1;
      const changed = new Set(labels.filter((_, at) => stable[at] && first.texts[at] !== now.texts[at]));
      if (changed.size === 0) continue;
      const listed = new Set(endpointsOf(await repo.impact('--since', 'HEAD')).map(({ label }) => label));
      const lost = [...changed].filter((label) => !listed.has(label));
      if (lost.length > 0) missed.push(`${file}: ${text.slice(start, end)} → ${to}: ${lost.join(', ')}`);
      const both = labels.filter((label, at) => listed.has(label) && labels.indexOf(label) === at).length;
      factors.push(both / changed.size);
      sums.listed += both;
      sums.changed += changed.size;
    } finally {
      repo.write(file, text);
    }
  }
  const median = factors.sort((a, b) => a - b)[factors.length >> 1] ?? 0;
  const factor = sums.listed / sums.changed;
  return {
    missed,
    summary: `${sums.starts} edits start, ${factors.length} change responses, list ÷ truth ${factor.toFixed(2)}, median ${median.toFixed(1)}`,
  };
}

interface Request {
  readonly user: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

function parseRequest(line: string): Request {
  const [, user = '', method = '', path = '', body] = /^(\S+) (\S+) (\S+)(?: (.+))?$/.exec(line) ?? [];
  return { user, method, path, body: body === undefined ? undefined : JSON.parse(body) };
}

/** How long a response may take, in milliseconds: an edit may keep a handler from answering. */
const LIMIT_MS = 1_500;
const VARYING = /^(?:date|x-request-id|set-cookie|etag|content-length)$/;

interface Responses {
  readonly texts: readonly string[];
  labelOf(request: Request): string;
}

/** Starts the app and sends the requests in order; undefined if the app does not start. */
async function responses(root: string, sent: readonly Request[]): Promise<Responses | undefined> {
  const env = { ...process.env };
  const app = await createTestApp({ dir: root, logger: false }).catch(() => undefined);
  if (!app) return undefined;
  try {
    const limit = patience(LIMIT_MS);
    const visitors = new Map<string, TestVisitor>();
    const texts: string[] = [];
    for (const request of sent) {
      const headers = { 'x-user': request.user };
      const visitor = visitors.get(request.user) ?? app.visitor({ headers });
      visitors.set(request.user, visitor);
      const late = new Promise<string>((resolve) => setTimeout(resolve, limit, 'no response').unref());
      texts.push(await Promise.race([send(visitor, request).catch(String), late]));
    }
    const { routes } = app;
    return { texts, labelOf: (request) => labelIn(routes, request) };
  } finally {
    await app.close().catch(() => {});
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
  }
}

async function send(visitor: TestVisitor, { method, path, body }: Request): Promise<string> {
  if (method === 'TOOL')
    return JSON.stringify(await visitor.mcp.callTool(path, body as Record<string, unknown>));
  const response = await visitor.request(method, path, body === undefined ? {} : { body });
  const headers = [...response.headers].filter(([name]) => !VARYING.test(name));
  return `${response.status} ${headers.join()} ${await response.text()}`;
}

/** The label of the route that has the fewest parameters of all that answer a request. */
function labelIn(routes: TestApp['routes'], { method, path }: Request): string {
  if (method === 'TOOL') return `TOOL ${path}`;
  const url = path.split('?')[0] ?? '';
  const found = routes
    .map(({ label }) => label)
    .filter((label) => {
      const [verb, pattern = ''] = label.split(' ');
      return verb === method && new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`).test(url);
    });
  const [best] = found.sort((a, b) => a.split(':').length - b.split(':').length);
  if (best === undefined) throw new Error(`No route answers ${method} ${path}.`);
  return best;
}

const SKIPPED = /policy|fwk\.config|main\.ts|\.d\.ts$|^src\/test\//;
const isRoute = (file: string): boolean =>
  /^(?:api|web|ws|mcp)\//.test(file) && !file.includes('_middleware');

/** Edits in a random order; three of four are outside of routes. */
function* randomEdits(repo: Repository, count: number, seed: number): Generator<Edit> {
  const random = new Random(seed);
  const files = ['src', 'views'].flatMap((folder) =>
    readdirSync(`${repo.root}/${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.\w+$/.test(file) && !SKIPPED.test(file))
      .map((file) => (folder === 'src' ? file : `${folder}/${file}`)),
  );
  const edits = new Map(files.sort().map((file) => [file, editsOf(file, repo.read(file))]));
  for (let made = 0; made < count; ) {
    const wantsRoute = random.chance(25);
    const file = random.pick(files.filter((one) => isRoute(one) === wantsRoute));
    const list = edits.get(file) ?? [];
    if (list.length === 0) continue;
    made += 1;
    yield { file, ...list.splice(random.between(0, list.length - 1), 1)[0] } as Edit;
  }
}

const SWAPPED: Readonly<Record<string, string>> = {
  '+': '-',
  '-': '+',
  '*': '+',
  '<': '>=',
  '>': '<=',
  '<=': '>',
  '>=': '<',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '??': '||',
  '+=': '-=',
  '-=': '+=',
};
/** Their arguments define the file's kind, so none is removed. */
const WRAPPER = /^(?:get|post|put|patch|del|middleware|service|di|tool|resource|prompt|ws)$/;

type Spanned = Pick<Edit, 'start' | 'end'>;

/**
 * All edits of a file: other literals, operators, conditions and results; statements, arguments and properties removed.
 */
function editsOf(file: string, text: string): Omit<Edit, 'file'>[] {
  if (!file.endsWith('.ts')) {
    const at = Math.max(0, text.search(/\d/));
    return [{ start: at, end: at + 1, to: 'Z' }];
  }
  const found: Omit<Edit, 'file'>[] = [];
  const add = ({ start, end }: Spanned, to: string) => found.push({ start, end, to });
  const source = ({ start, end }: Spanned) => text.slice(start, end);
  const pair = (node: Spanned) => add(node, `[${source(node)}, 0]`);
  /** Names of modules and properties. */
  const names = new Set<number>();
  const operator = (node: { operator: string; left: Spanned; right: Spanned }) => {
    const between = { start: node.left.end, end: node.right.start };
    const other = SWAPPED[node.operator];
    if (other) add(between, source(between).replace(node.operator, other));
  };
  new Visitor({
    ImportDeclaration: (node) => names.add(node.source.start),
    ExportNamedDeclaration: (node) => node.source && names.add(node.source.start),
    ExportAllDeclaration: (node) => names.add(node.source.start),
    ImportExpression: (node) => names.add(node.source.start),
    Property: (node) => names.add(node.key.start),
    Literal: (node) => {
      if (names.has(node.start)) return;
      if (typeof node.value === 'string')
        add({ start: node.end - 1, end: node.end }, `Z${text[node.end - 1]}`);
      if (typeof node.value === 'number') add(node, String(node.value + 1));
    },
    TemplateElement: ({ start }) => add({ start, end: start }, 'Z'),
    IfStatement: ({ test }) => add(test, `!(${source(test)})`),
    ConditionalExpression: ({ test }) => add(test, `!(${source(test)})`),
    ExpressionStatement: (node) => add(node, ';'),
    ObjectExpression: ({ properties }) => {
      const [last, before] = [properties.at(-1), properties.at(-2)];
      if (last && before) add({ start: before.end, end: last.end }, '');
    },
    CallExpression: ({ callee, arguments: given }) => {
      const last = given.at(-1);
      if (last && !WRAPPER.test(source(callee))) add(last, 'undefined');
    },
    LogicalExpression: (node) => {
      operator(node);
      add(node, source(node.left));
    },
    BinaryExpression: operator,
    AssignmentExpression: operator,
    ArrowFunctionExpression: ({ body }) => {
      if (body.type !== 'BlockStatement' && body.type !== 'ObjectExpression') pair(body);
    },
    ReturnStatement: ({ argument }) => argument && pair(argument),
  }).visit(parseSync(file, text).program);
  return found;
}
