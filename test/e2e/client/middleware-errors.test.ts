import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev, fwk } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { type Files, project } from '../../harness/project.js';
import { assertReported, refusal } from '../../harness/refusal.js';
import { compared, tsc, unreported } from '../../harness/tsc.js';

const guard = (errors: string, run: string): string => `import { error, middleware } from 'fwkit';
import { z } from 'zod';
export const errors = ${errors};
export default middleware(async (req, res, ctx, next) => {
  ${run}
  return next();
});
`;

const files: Files = {
  'middlewares/1.login.ts': guard(
    '{ 401: z.object({ login: z.string() }) }',
    `const why = req.header('x-login');
  if (why === 'own') throw error(401, { login: '/login', secret: 'removed' });
  if (why === 'returned') return error(401, { login: '/returned' });
  if (why === 'wrong') throw error(401, { login: 1 });
  if (why === 'undeclared') throw error(418, 'short and stout');`,
  ),
  'middlewares/2.plain.ts': `import { middleware } from 'fwkit';
export default middleware((req, res, ctx, next) => next());
`,
  'api/admin/_middleware.ts': guard(
    '{ 403: z.object({ role: z.enum(["admin"]), at: z.date() }), 409: z.object({ locked: z.boolean() }) }',
    `if (req.header('x-role')) throw error(403, { role: 'admin', at: new Date(0) });`,
  ),
  'api/open.get.ts': `import { error, get } from 'fwkit';
export default get((req) => (req.query.x ? error(401, { other: 1 }) : { a: 1 }));
`,
  'api/admin/users.post.ts': `import { post } from 'fwkit';
import { z } from 'zod';
export default post({ errors: { 409: z.object({ taken: z.string() }) } }, () => ({ b: 1 }));
`,
  'api/admin/any.ts': `import { put } from 'fwkit';
export default put(() => ({ c: 1 }));
`,
};

const use = (paths: string): string => `import { createClient } from 'fwkit/client';
${paths}
type Alike<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const alike = <A, B>(..._differs: Alike<A, B> extends true ? [] : ['the types differ', A, B]): void => {};
const open = await api('/api/open').get();
if (open.status === 401) alike<typeof open.error, { login: string } | { other: number }>();
if (open.status === 403) alike<typeof open.error, { role: 'admin'; at: string }>(); //! TS2554
const users = await api('/api/admin/users').post();
if (users.status === 401) alike<typeof users.error, { login: string }>();
if (users.status === 403) alike<typeof users.error, { role: 'admin'; at: string }>();
if (users.status === 409) alike<typeof users.error, { taken: string } | { locked: boolean }>();
if (users.ok) alike<typeof users.data, { b: number }>();
const all = await api('/api/admin/any').put();
if (all.status === 403) alike<typeof all.error, { role: 'admin'; at: string }>();
`;

const test = suite('errors of middlewares');

test('are in the typed client, also with the types for a frontend', async () => {
  const uses = {
    'lib/own.ts': use("const api = createClient('https://shop.example');"),
    'lib/front.ts': use(
      "import type { Paths } from '../paths.js';\nconst api = createClient<Paths>('https://shop.example');",
    ),
  };
  const made = project({ ...files, ...uses });
  linkLibraries(made);
  assert.is((await fwk(made, 'types', '--client', `${made.root}/src/paths.ts`)).status, 0);
  const diagnostics = await tsc(made, undefined, { lib: ['es2023', 'dom'] });
  assert.equal(compared(made, diagnostics, uses), { missing: [], surplus: [] });
  assert.equal(unreported(diagnostics, uses), []);
});

test('are checked when a middleware throws or returns them, and are in the OpenAPI document', async () => {
  const made = project(files);
  linkLibraries(made);
  const server = await dev(made);
  const post = async (headers: Record<string, string>) => {
    const answer = await server.fetch('/api/admin/users', { method: 'POST', headers });
    return [answer.status, await answer.json()];
  };
  const json = { accept: 'application/json' };
  assert.equal(await post({ 'x-login': 'own' }), [401, { login: '/login' }]);
  assert.equal(await post({ 'x-login': 'returned' }), [401, { login: '/returned' }]);
  assert.is((await post({ ...json, 'x-login': 'wrong' }))[0], 500);
  await server.waitFor(/1\.login\.ts: "errors" of the status 401 rejects the body of the error: /);
  assert.equal(await post({ 'x-login': 'undeclared' }), [418, { message: 'short and stout' }]);
  await server.waitFor(/1\.login\.ts responds with 418, which its "errors" do not declare/);
  // The outer middleware passes on the error of the inner one, whose check converts it.
  assert.equal(await post({ 'x-role': 'user' }), [403, { role: 'admin', at: '1970-01-01T00:00:00.000Z' }]);
  const other = await server.fetch('/api/open?x=1');
  assert.equal([other.status, await other.json()], [401, { other: 1 }]);

  const document = Object(await (await server.fetch('/openapi.json')).json());
  const schemaOf = (path: string, method: string, status: number) =>
    document.paths[path][method].responses[status]?.content['application/json'].schema;
  assert.equal(schemaOf('/api/open', 'get', 401).required, ['login']);
  assert.is(schemaOf('/api/open', 'get', 403), undefined);
  assert.equal(schemaOf('/api/admin/users', 'post', 403).required, ['role', 'at']);
  assert.equal(
    schemaOf('/api/admin/users', 'post', 409).anyOf.map(({ required }: { required: string[] }) => required),
    [['taken'], ['locked']],
  );

  await server.stop();
});

test('an incorrect export is rejected', async () => {
  const made = project({ ...files, 'middlewares/1.login.ts': guard('{ 200: z.string() }', '') });
  linkLibraries(made);
  const stderr = await refusal(made, 'routes');
  assertReported(
    stderr,
    made,
    'middlewares/1.login.ts',
    'the "errors" of middleware() must be an object with',
  );
});

test.run();
