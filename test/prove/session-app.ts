import { type Random, random } from './random.js';
import { MEMBERS, tellingService } from './telling-app.js';

// Projects made from a seed whose session values keep what wrote them: answers tell it later, to the visitor of that session.

/** The session values, besides `user`, which login assigns. */
export const VALUES = ['v0', 'v1', 'v2', 'v3', 'v4', 'v5', 'v6', 'v7'];

/** The texts of a project, by path below its source directory. */
export function sessionApp(routes: number, seed: number): Record<string, string> {
  const r = random(seed);
  const files: Record<string, string> = {};
  for (let i = 0; i < SERVICES; i++) files[`services/s${i}.ts`] = tellingService(i, r);
  for (const [index, key] of VALUES.entries())
    files[`di/${key}.ts`] = value(key, SHAPES[index % SHAPES.length] as Shape, r);
  const call = (): string => `s${r.below(SERVICES)}.${r.pick(MEMBERS)}()`;
  Object.assign(files, frame(r, call));
  for (const [index, style] of r.shuffle(WRITING).entries()) {
    const file = `api/g${index % 3}/w${index}.${index % 2 ? 'put' : 'post'}.ts`;
    files[file] = style({ file, key: r.pick(VALUES), kept: call(), told: call() });
  }
  for (let i = 0; i < routes; i++) {
    const file = `api/g${i % 3}/r${i}.get.ts`;
    files[file] = (READING[i % READING.length] as Style)({
      file,
      key: r.pick(VALUES),
      kept: call(),
      told: call(),
    });
  }
  return files;
}

const SERVICES = 9;

type Shape = (file: string, r: Random) => string;

const value = (key: string, shape: Shape, r: Random): string => {
  const file = `di/${key}.ts`;
  return `import { di } from 'fwkit';\n${shape(file, r)}\n`;
};

const object = (file: string, more = ''): string =>
  `({ items: ['${file}#items'${more}], first: '${file}#first', rows: [{ word: '${file}#rows' }] })`;

/** Ways to say what a session begins with. */
const SHAPES: readonly Shape[] = [
  (file) => `export default di({ lifetime: 'session', value: () => ${object(file)} });`,
  (file, r) =>
    `export default di({ lifetime: 'session', value: ({ s${r.below(SERVICES)}: one }: any) => ${object(file, ', ...one.m0()')} });`,
  (file) =>
    `const START = ['${file}#START'];\nconst first = () => '${file}#first';\nexport default di({ lifetime: 'session', value: () => ({ items: [...START], first: first(), rows: [{ word: '${file}#rows' }] }) });`,
  (file) =>
    `const make = (ctx: any) => {\n  const items = ctx.s0.m1();\n  return ${object(file, ', ...items')};\n};\nexport default di({ lifetime: 'session', value: make });`,
  (file) => `export default di({ lifetime: 'session', value: ${object(file)} });`,
];

/** What each project has: login and logout, middlewares, helpers, values of a request, a page, sockets and tools. */
function frame(r: Random, call: () => string): Record<string, string> {
  const key = (): string => r.pick(VALUES);
  const own = (file: string, unit = 'default'): string => `'${file}#${unit}'`;
  return {
    'di/user.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: () => null as { name: string[] } | null });
`,
    'di/me.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'request', value: ({ user, s1 }: any) => ({
  name: () => [${own('di/me.ts', 'name')}, ...(user?.name ?? ['nobody'])],
  rest: () => [${own('di/me.ts', 'rest')}, ...s1.m0()],
}) });
`,
    'di/shelf.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'request', value: (ctx: any) => ({
  rename(words: string[]) { ctx.v1.first = [${own('di/shelf.ts', 'rename')}, ...words].join(); },
  told: () => [${own('di/shelf.ts', 'told')}, ctx.v1.first],
}) });
`,
    'services/baskets.ts': `import { service } from 'fwkit';
export default service(() => ({
  add(basket: any, words: string[]) { basket.items.push(${own('services/baskets.ts', 'add')}, ...words); return basket.items.length; },
  word: () => [${own('services/baskets.ts', 'word')}],
}));
`,
    'lib/keep.ts': `export function keep(ctx: any, words: string[]): string[] {
  ctx.v2.items = [${own('lib/keep.ts', 'keep')}, ...words];
  return [${own('lib/keep.ts', 'keep.told')}];
}
export const tell = (ctx: any): string[] => [${own('lib/keep.ts', 'tell')}, ...ctx.v2.items];
export const words = (one: any): string[] => [${own('lib/keep.ts', 'words')}, ...one.items, one.first];
`,
    'middlewares/1.trace.ts': `import { middleware } from 'fwkit';
export default middleware(async (req, res, ctx: any, next) => {
  const inner: any = await next();
  return Array.isArray(inner) ? [${own('middlewares/1.trace.ts')}, ...inner] : inner;
});
`,
    'api/g0/_middleware.ts': `import { middleware } from 'fwkit';
export default middleware(async (req, res, ctx: any, next) => {
  if (!ctx.user) { res.status(401); return [${own('api/g0/_middleware.ts', 'refused')}]; }
  const inner: any = await next();
  return [${own('api/g0/_middleware.ts', 'let')}, ...ctx.user.name, ...inner];
});
`,
    'api/g1/_middleware.ts': `import { middleware } from 'fwkit';
export default middleware(async (req, res, ctx: any, next) => {
  const inner: any = await next();
  const words = [${own('api/g1/_middleware.ts', 'kept')}, ...ctx.${call()}];
  ctx.${key()}.first = words.join();
  return [${own('api/g1/_middleware.ts', 'told')}, ...words, ...inner];
});
`,
    'api/login.post.ts': `import { post, renewSession } from 'fwkit';
export default post((req: any, res, ctx: any) => {
  const name = ctx.${call()};
  if (req.body.name !== 'Ada') { res.status(401); return [${own('api/login.post.ts', 'refused')}]; }
  renewSession(req);
  ctx.user = { name: [${own('api/login.post.ts', 'kept')}, ...name] };
  return [${own('api/login.post.ts', 'told')}, ...ctx.${call()}];
});
`,
    'api/logout.post.ts': `import { endSession, post } from 'fwkit';
export default post((req, res, ctx: any) => {
  endSession(req);
  return [${own('api/logout.post.ts')}];
});
`,
    'web/get.ts': `import { get, view } from 'fwkit';
export default get((req, res, ctx: any) => view('page', { words: [${own('web/get.ts')}, ...ctx.${key()}.items, ...ctx.me.name()] }));
`,
    'views/page.eta': `<p>'views/page.eta#p'<%= it.words.join() %></p>\n`,
    'ws/live.ts': `import { ws } from 'fwkit';
export default ws(({ socket, ctx }: any) => { socket.send([${own('ws/live.ts')}, ...ctx.${key()}.items]); });
`,
    'ws/who.ts': `import { ws } from 'fwkit';
export default ws(({ socket, ctx: { me, s2 } }: any) => { socket.send([${own('ws/who.ts')}, ...me.name(), ...s2.m1()]); });
`,
    'mcp/tools/listed.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Lists.', handler: (_input, ctx: any) => [${own('mcp/tools/listed.ts')}, ...ctx.${key()}.items].join() });
`,
    'mcp/tools/put.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Keeps.', handler: (_input, ctx: any) => {
  ctx.${key()}.items.push(${own('mcp/tools/put.ts', 'kept')}, ...ctx.${call()});
  return ${own('mcp/tools/put.ts', 'told')};
} });
`,
  };
}

interface Route {
  readonly file: string;
  readonly key: string;
  /** A call of a service: what is kept, or told. */
  readonly kept: string;
  readonly told: string;
}
type Style = (route: Route) => string;

const writer = ({ file, told }: Route, body: string, imports = ''): string => {
  const verb = /\.(\w+)\.ts$/.exec(file)?.[1] ?? 'post';
  return `import { ${verb} } from 'fwkit';\n${imports}export default ${verb}((req, res, ctx: any) => {\n${body}\n  return ['${file}#told', ...ctx.${told}];\n});\n`;
};
const word = ({ file }: Route): string => `'${file}#kept'`;

/** Ways to write to a session value. */
const WRITING: readonly Style[] = [
  (one) => writer(one, `  ctx.${one.key}.items = [${word(one)}, ...ctx.${one.kept}];`),
  (one) =>
    writer(
      one,
      `  const { ${one.key}: value, ${one.kept.split('.')[0]}: from } = ctx;\n  value.items.push(${word(one)}, ...from.${one.kept.split('.')[1]});`,
    ),
  (one) =>
    writer(one, `  const { items } = ctx.${one.key};\n  items.unshift(${word(one)}, ...ctx.${one.kept});`),
  (one) =>
    writer(
      one,
      `  const { ${one.key}: { rows } } = ctx;\n  rows[0] = { word: [${word(one)}, ...ctx.${one.kept}].join() };`,
    ),
  (one) =>
    writer(
      one,
      `  const row = ctx.${one.key}.rows[0];\n  row.word = [${word(one)}, ...ctx.${one.kept}].join();`,
    ),
  (one) =>
    writer(
      one,
      `  for (const row of ctx.${one.key}.rows) row.word = [${word(one)}, ...ctx.${one.kept}].join();`,
    ),
  (one) =>
    writer(
      one,
      `  ctx.${one.key}.rows.forEach((row: any) => { row.word = [${word(one)}, ...ctx.${one.kept}].join(); });`,
    ),
  (one) =>
    writer(
      one,
      `  keep(ctx, [${word(one)}, ...ctx.${one.kept}]);`,
      "import { keep } from '../../lib/keep.js';\n",
    ),
  (one) => writer(one, `  ctx.baskets.add(ctx.${one.key}, [${word(one)}, ...ctx.${one.kept}]);`),
  (one) =>
    writer(one, `  Object.assign(ctx.${one.key}, { first: [${word(one)}, ...ctx.${one.kept}].join() });`),
  (one) => writer(one, `  ctx.shelf.rename([${word(one)}, ...ctx.${one.kept}]);`),
  (one) =>
    writer(
      one,
      `  const words = [${word(one)}, ...ctx.${one.kept}];\n  if (words.length > 99) return [];\n  ctx.${one.key}.first = words.join();`,
    ),
  (one) =>
    writer(one, `  for (const word of ctx.${one.kept}) ctx.${one.key}.items.push(${word(one)}, word);`),
  (one) =>
    writer(one, `  ctx.${one.key} = { items: [${word(one)}], first: ctx.${one.kept}.join(), rows: [] };`),
  (one) =>
    writer(
      one,
      `  const put = (text: string) => { ctx.${one.key}.first = text; };\n  put([${word(one)}, ...ctx.${one.kept}].join());`,
    ),
];

const reader = ({ file, told }: Route, words: string, imports = ''): string =>
  `import { get } from 'fwkit';\n${imports}export default get((req, res, ctx: any) => ['${file}#told', ...ctx.${told}, ${words}]);\n`;
const KEEP = "import { tell, words } from '../../lib/keep.js';\n";

/** Ways to read one, and a route that reads none. */
const READING: readonly Style[] = [
  (one) => reader(one, `...ctx.${one.key}.items`),
  (one) => reader(one, "'none'"),
  ({ file, key, kept }) =>
    `import { get } from 'fwkit';\nexport default get((req, res, { ${key}: value, ${kept.split('.')[0]}: more }: any) => ['${file}#told', value.first, ...more.${kept.split('.')[1]}]);\n`,
  (one) => reader(one, '...tell(ctx)', KEEP),
  (one) => reader(one, `...words(ctx.${one.key})`, KEEP),
  (one) => reader(one, '...ctx.me.name()'),
  (one) => reader(one, '...ctx.me.rest()'),
  (one) => reader(one, `JSON.stringify(ctx.${one.key})`),
  (one) => reader(one, `ctx['${one.key}'].rows.map((row: any) => row.word).join()`),
  (one) => reader(one, '...ctx.shelf.told()'),
  ({ file, key, told }) =>
    `import { get } from 'fwkit';\nexport default get((req, res, ctx: any) => {\n  const { ${key}: { first, rows: [row] } } = ctx;\n  return ['${file}#told', first, row?.word ?? '', ...ctx.${told}];\n});\n`,
  ({ file, key, told }) =>
    `import { get } from 'fwkit';\nexport default get((req, res, ctx: any) => ctx.user ? ['${file}#told', ...ctx.${key}.items] : ['${file}#else', ...ctx.${told}]);\n`,
];
