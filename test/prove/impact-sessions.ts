import type { TestVisitor } from '../../testkit/app/test-visitor.js';
import { createTestApp, type TestApp } from '../../testkit/index.js';
import { type Project, project } from '../harness/project.js';
import { type Answers, type Edit, type Trial, tryEdits } from './impact-trial.js';
import { type Random, random } from './random.js';
import { sessionApp, VALUES } from './session-app.js';

const LABELS = /^(GET|POST|PUT|WS|TOOL) (\S+)/;

/** Edit a generated app with sessions at random, and have the same visitors ask each version of it. */
export async function trySessions(routes: number, count: number, seed: number): Promise<Trial> {
  process.env.SESSION_SECRET = 'x'.repeat(40);
  const files = sessionApp(routes, seed);
  const made = project(files);
  return tryEdits(made, edits(files, count, seed), async () => answers(made));
}

export async function answers(made: Project): Promise<Answers | undefined> {
  const app = await createTestApp({ dir: made.root, logger: false }).catch(() => undefined);
  if (!app) return undefined;
  try {
    return await answersOf(app, made);
  } finally {
    await app.close();
  }
}

interface Asked {
  readonly file: string;
  readonly method: string;
  readonly path: string;
}

/** Each endpoint, as it answers a stranger, who has logged in, who has written all there is, and who has logged out again. */
async function answersOf(app: TestApp, made: Project): Promise<Answers> {
  const all = endpointsOf(app);
  const isWriting = ({ file }: Asked): boolean => /\/w\d|put\.ts|login/.test(file);
  const [writing, reading] = [all.filter(isWriting), all.filter((one) => !isWriting(one))];
  const found = new Map<string, string>();
  const note = async (visitor: TestVisitor, one: Asked): Promise<void> => {
    const name = made.label(one.file);
    found.set(name, `${found.get(name) ?? ''}\n${await ask(visitor, one)}`);
  };
  for (const one of all) await note(app.visitor(), one);
  const reader = await loggedIn(app);
  for (const one of reading) await note(reader, one);
  for (const one of writing) await note(await loggedIn(app), one);
  const writer = await loggedIn(app);
  for (const one of writing) await ask(writer, one);
  for (const one of [...reading, ...writing]) await note(writer, one);
  await ask(writer, LOGOUT);
  for (const one of [...reading, ...writing]) await note(writer, one);
  return found;
}

const LOGOUT: Asked = { file: 'api/logout.post.ts', method: 'POST', path: '/api/logout' };

/** Logout comes when all are asked. */
function endpointsOf(app: TestApp): Asked[] {
  const routes = app.routes.flatMap(({ label, file }): Asked[] => {
    const [, method = '', path = ''] = LABELS.exec(label) ?? [];
    return method === '' || path === '/mcp' || file === LOGOUT.file ? [] : [{ file, method, path }];
  });
  const tools = ['listed', 'put'].map((path) => ({ file: `mcp/tools/${path}.ts`, method: 'TOOL', path }));
  return [...routes, ...tools].sort((a, b) => (a.file < b.file ? -1 : 1));
}

async function loggedIn(app: TestApp): Promise<TestVisitor> {
  const visitor = app.visitor();
  await visitor.post('/api/login', { name: 'Ada' });
  return visitor;
}

async function ask(visitor: TestVisitor, { method, path }: Asked): Promise<string> {
  if (method === 'TOOL') {
    const { text, isError } = await visitor.mcp.callTool(path);
    return `${isError} ${text}`;
  }
  if (method === 'WS') {
    const socket = await visitor.ws(path);
    const text = JSON.stringify(await socket.next().catch(String));
    await socket.close();
    return text;
  }
  const body = path === '/api/login' ? { name: 'Ada' } : {};
  const response = await visitor.request(method, path, method === 'GET' ? {} : { body });
  // That a value is stored once more, with a cookie, depends on what was stored before: it is no part of the answer.
  return `${response.status} ${await response.text()}`;
}

type Files = Readonly<Record<string, string>>;

/** What a function tells is another text, in each sort of files in turn; each sixth time something of a session value itself. */
export function edits(files: Files, count: number, seed: number): Edit[] {
  const r = random(seed + 1);
  const pools = [/^di\//, /^services\//, /^lib\/|iddleware|^views/, /log(in|out)|\/w\d|put/, /./].map(
    (pool) => Object.keys(files).filter((name) => pool.test(name) && /'[\w/.-]+#/.test(files[name] ?? '')),
  );
  return Array.from({ length: count }, (_, index): Edit => {
    if (index % 6 === 5) return r.pick(OF_VALUES)(files, r);
    const name = r.pick(pools[index % 6] ?? []);
    const before = files[name] ?? '';
    const { index: at } = r.pick([...before.matchAll(/'[\w/.-]+#/g)]);
    return { name, before, after: `${before.slice(0, at + 1)}X${before.slice(at + 1)}` };
  });
}

const replaced = (files: Files, name: string, from: string | RegExp, to: string): Edit => {
  const before = files[name] ?? '';
  return { name, before, after: before.replace(from, to) };
};

/** Edits of what a session value is, of who begins and ends a session, and of its guard. */
const OF_VALUES: readonly ((files: Files, r: Random) => Edit)[] = [
  // It lives for a request.
  (files, r) => replaced(files, `di/${r.pick(VALUES)}.ts`, "'session'", "'request'"),
  // Another shape.
  (files, r) => replaced(files, `di/${r.pick(VALUES)}.ts`, /\bfirst:/, 'second:'),
  (files, r) => replaced(files, `di/${r.pick(VALUES)}.ts`, /rows: \[.*?\]/, 'rows: []'),
  // It is no more.
  (files, r) => {
    const name = `di/${r.pick(VALUES)}.ts`;
    return { name, before: files[name], after: undefined };
  },
  (files, r) => renamed(files, r.pick(VALUES)),
  (files) => replaced(files, 'di/user.ts', 'null as', "({ name: ['guest'] }) as"),
  (files) => replaced(files, 'api/login.post.ts', / {2}ctx\.user = .*\n/, ''),
  (files) => replaced(files, 'api/login.post.ts', "!== 'Ada'", "=== 'Ada'"),
  (files) => replaced(files, 'api/login.post.ts', / {2}renewSession.*\n/, ''),
  (files) => replaced(files, 'api/logout.post.ts', / {2}endSession.*\n/, ''),
  (files) => replaced(files, 'api/logout.post.ts', 'endSession(req)', "ctx.user = { name: ['left'] }"),
  (files) => replaced(files, 'api/g0/_middleware.ts', '!ctx.user', 'ctx.user'),
];

/** Its file has another name, and so has whatever reads it. */
function renamed(files: Files, key: string): Edit {
  const users = Object.entries(files).filter(([name, text]) => name !== `di/${key}.ts` && text.includes(key));
  return {
    name: `di/${key}.ts`,
    before: files[`di/${key}.ts`],
    after: undefined,
    also: [
      { name: `di/${key}x.ts`, before: undefined, after: files[`di/${key}.ts`] },
      ...users.map(([name, before]) => ({ name, before, after: before.replaceAll(key, `${key}x`) })),
    ],
  };
}
