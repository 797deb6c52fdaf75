import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev, fwk } from '../../harness/fwk.js';
import { depend } from '../../harness/libraries.js';
import { type Layout, layouts, type Project, project } from '../../harness/project.js';
import { begin, call } from '../../harness/rpc.js';
import { module } from '../../harness/source.js';
import { tsc } from '../../harness/tsc.js';

// What fwk skills tells an assistant is true: its examples, taken as they stand, compile, boot and answer.

/** A project that says which conventions are off, with every example of its guidance at the place it names. */
async function exemplary(
  layout: Layout,
  off: readonly string[] = [],
  library?: string,
): Promise<{ made: Project; text: string }> {
  const config = module('defineConfig', `export default defineConfig({ disable: ${JSON.stringify(off)} });`);
  const made = project({ 'fwk.config.ts': config }, layout);
  if (library !== undefined) depend(made, library);
  assert.is((await fwk(made, 'skills', '--ide', 'claude')).status, 0);
  const text = made.read('.claude/skills/fwk/SKILL.md');
  for (const [, language, file = '', code = ''] of text.matchAll(
    /^```(\w+)\n\/\/ ([^\s:]+).*\n([\s\S]*?)^```$/gm,
  )) {
    assert.is(language, layout);
    made.write(file.replace(/^src\//, '').replace(/\.js$/, '.ts'), code);
  }
  return { made, text };
}

interface Refusal {
  readonly errors: readonly { readonly path: readonly string[] }[];
}

const routes = 'POST /api/users\nGET /api/users/:id\nMCP /mcp\nWS /ws/rooms/:room\n';

for (const layout of layouts) {
  const test = suite(layout);

  test('the examples compile, boot and do what is said of them', async () => {
    const { made } = await exemplary(layout);
    for (const file of ['services/users.ts', 'di/visitor.ts', 'middlewares/2.admin.ts'])
      assert.ok(made.exists(file));
    made.write(
      'api/secret.get.ts',
      module('get', `export default get(() => 'told').meta({ adminOnly: true });`),
    );
    made.write('.env', 'ADMIN_TOKEN=open\n');
    assert.equal(await fwk(made, 'routes'), { status: 0, stdout: `GET /api/secret\n${routes}`, stderr: '' });
    if (layout === 'ts') {
      assert.is((await fwk(made, 'types')).status, 0);
      assert.equal(await tsc(made), []);
    }
    const server = await dev(made);
    try {
      const sent = (body: string) => ({
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      const added = await server.fetch('/api/users', sent('{"name":"Ada"}'));
      const user = (await added.json()) as { id: string };
      assert.is(added.status, 201);
      assert.equal(await (await server.fetch(`/api/users/${user.id}`)).json(), user);
      const session = await begin(server.url);
      assert.equal(JSON.parse(await call(server.url, 'usersFind', { id: user.id }, session)), user);
      assert.is(await call(server.url, 'usersFind', { id: 'nobody' }, session), 'No such user');
      assert.is((await server.fetch('/api/users', sent('{}'))).status, 400);
      assert.is((await server.fetch('/api/users', { method: 'POST' })).status, 400);
      assert.is((await server.fetch('/api/users/nobody')).status, 404);
      assert.is((await server.fetch('/api/secret')).status, 403);
      assert.is(
        (await server.fetch('/api/secret', { headers: { authorization: 'Bearer undefined' } })).status,
        403,
      );
      const admin = await server.fetch('/api/secret', { headers: { authorization: 'Bearer open' } });
      assert.is(await admin.json(), 'told');
    } finally {
      await server.stop();
    }
  });

  for (const library of layout === 'ts' ? ['zod', 'valibot', 'arktype'] : ['zod'])
    test(`with ${library} in package.json, the examples check by a schema of it`, async () => {
      const { made, text } = await exemplary(layout, ['mcp'], library);
      assert.match(text, `from '${library}'`);
      if (layout === 'ts') {
        assert.is((await fwk(made, 'types')).status, 0);
        assert.equal(await tsc(made), []);
      }
      const server = await dev(made);
      try {
        const add = (body: string) =>
          server.fetch('/api/users', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body,
          });
        assert.is((await add('{"name":"Ada"}')).status, 201);
        const refused = await add('{"name":""}');
        assert.equal([refused.status, ((await refused.json()) as Refusal).errors[0]?.path], [422, ['name']]);
      } finally {
        await server.stop();
      }
    });

  test('what is off is not spoken of', async () => {
    const words: Readonly<Record<string, RegExp>> = {
      context: /ctx\.(?!logger)|service\(|services\/|\bdi\//,
      api: /\bapi\/|\/api\b/,
      web: /\bweb\//,
      mcp: /\bmcp\b/i,
      middlewares: /middlewares\/|_middleware|next\(\)/,
      views: /view\(|\.eta/,
      'json-response': /\b204\b/,
      typegen: /fwk types|types\.d\.ts|HttpRequest/,
    };
    const all = await exemplary(layout);
    for (const [name, word] of Object.entries(words)) {
      if (layout === 'ts' || name !== 'typegen') assert.match(all.text, word, `${name} is on`);
      assert.not.match((await exemplary(layout, [name])).text, word, `${name} is off`);
    }
  });

  test('the examples hold without ctx too', async () => {
    const { made } = await exemplary(layout, ['context']);
    const typed = (text: string) => (layout === 'ts' ? text : '');
    made.write(
      'lib/users.ts',
      `export const users = { find: (id${typed(': string')}) => id, add: (name${typed(': string')}) => name };\n`,
    );
    made.write(
      'lib/admin.ts',
      `export const isAdmin = (req${typed(': { method: string }')}) => req.method === 'GET';\n`,
    );
    assert.equal(await fwk(made, 'routes'), { status: 0, stdout: routes, stderr: '' });
    if (layout === 'js') return;
    assert.is((await fwk(made, 'types')).status, 0);
    assert.equal(await tsc(made), []);
  });

  test('skills itself can be off', async () => {
    const config = module('defineConfig', `export default defineConfig({ disable: ['skills'] });`);
    const made = project({ 'fwk.config.ts': config }, layout);
    const { status, stdout } = await fwk(made, 'skills');
    assert.is(status, 0);
    assert.match(stdout, '"skills" is disabled');
    assert.not.ok(made.exists('AGENTS.md'));
  });

  test.run();
}
