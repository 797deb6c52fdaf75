import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev, fwk } from '../../harness/fwk.js';
import { type Answer, request } from '../../harness/http.js';
import { clients, connected } from '../../harness/mcp-clients.js';
import { production } from '../../harness/production.js';
import { project } from '../../harness/project.js';
import { begin, call, initialize, post, rpc, stateless } from '../../harness/rpc.js';

// mcp/auth.ts: an OAuth resource server. Tokens here are "<subject>|<scopes>".

const files = {
  'services/users.ts': `import { service } from 'fwkit';
export default service(() => ({ known: ['ada', 'bob'] }));`,
  'mcp/auth.ts': `import { error } from 'fwkit';
import { auth } from 'fwkit/mcp';
export default auth({
  servers: ['https://login.example'],
  scopes: ['notes'],
  verify: async (token, ctx, { resource }) => {
    const [subject = '', scopes = '', expiresAt] = Buffer.from(token, 'base64url').toString().split('|');
    if (subject === 'crash') throw new Error('the identity provider is down');
    if (subject === 'revoked') throw error(401, { message: 'This token was revoked' });
    if (subject === 'busy') throw error(503, 'Try later');
    if (subject === 'nobody') return { scopes: ['notes'] };
    if (subject === 'text') return { subject, scopes: 'notes:write' };
    if (subject === 'never') return { subject, scopes: ['notes'], expiresAt: Number.NaN };
    console.log('asked for', resource);
    if (!ctx.users.known.includes(subject) || !resource.endsWith('/mcp')) return null;
    return { subject, scopes: scopes.split(' '), ...(expiresAt ? { expiresAt: Number(expiresAt) } : {}) };
  },
});`,
  'mcp/tools/me.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Who am I?', handler: (_input, _ctx, call) => call.auth?.subject });`,
  'mcp/resources/secrets/[id].ts': `import { resource } from 'fwkit/mcp';
export default resource({
  scopes: ['secrets'],
  complete: { id: () => ['the-secret-id'] },
  handler: ({ id }) => id,
});`,
  'mcp/tools/write.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Writes.', scopes: ['notes:write'], handler: () => 'written' });`,
};

const bearer = (token: string) => ({ authorization: `Bearer ${Buffer.from(token).toString('base64url')}` });
const ada = bearer('ada|notes');
const challenge = ({ headers }: Answer) => headers['www-authenticate'];

const test = suite<Record<string, never>>('mcp/auth', {});
const made = project(files);

const server = await dev(made);
const url = server.url;
test.after(async () => void (await server.stop()));

test('anyone can read the metadata, which names the authorization server', async () => {
  for (const at of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
    const answer = await request(url, at, { headers: { origin: 'https://anywhere.example' } });
    assert.equal(answer.json, {
      resource: `${url}/mcp`,
      authorization_servers: ['https://login.example'],
      scopes_supported: ['notes', 'secrets', 'notes:write'],
      bearer_methods_supported: ['header'],
    });
    assert.is(answer.headers['access-control-allow-origin'], '*');
  }
  assert.is(
    (await fwk(made, 'routes')).stdout,
    'GET /.well-known/oauth-protected-resource\nGET /.well-known/oauth-protected-resource/mcp\nMCP /mcp\n',
  );
});

test('a request without a valid token is 401', async () => {
  const metadata = `resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`;
  const none = await post(url, initialize);
  assert.equal(
    [none.status, challenge(none)],
    [401, `Bearer scope="notes secrets notes:write", ${metadata}`],
  );
  const over = bearer(`ada|notes|${Math.floor(Date.now() / 1000) - 1}`);
  for (const headers of [bearer('eve|notes'), over]) {
    const answer = await post(url, initialize, headers);
    assert.is(answer.status, 401);
    assert.is(
      challenge(answer),
      `Bearer error="invalid_token", scope="notes secrets notes:write", ${metadata}`,
    );
  }
  assert.is((await post(url, initialize, { authorization: 'Basic YTpi' })).status, 401);
  const session = await begin(url, ada);
  assert.is((await post(url, rpc('tools/list'), session)).status, 401);
  assert.is((await request(url, '/mcp', { method: 'DELETE', headers: session })).status, 401);
  const [message, headers] = stateless('tools/list');
  assert.is((await post(url, message, headers)).status, 401);
});

test('tokens of the app need no authorization server', async () => {
  const own = project({
    'mcp/auth.ts': `import { auth } from 'fwkit/mcp';
export default auth({ verify: (token) => (token === 'ours' ? { subject: 'helpdesk', scopes: ['notes'] } : null) });`,
    'mcp/tools/me.ts': files['mcp/tools/me.ts'],
    'mcp/tools/write.ts': files['mcp/tools/write.ts'],
  });
  const ours = { authorization: 'Bearer ours' };
  assert.is((await fwk(own, 'routes')).stdout, 'MCP /mcp\n');
  const app = await dev(own);
  try {
    const without = await post(app.url, initialize);
    assert.equal([without.status, challenge(without)], [401, 'Bearer scope="notes:write"']);
    const other = await post(app.url, initialize, { authorization: 'Bearer other' });
    assert.equal(
      [other.status, challenge(other)],
      [401, 'Bearer error="invalid_token", scope="notes:write"'],
    );
    const session = await begin(app.url, ours);
    assert.is(await call(app.url, 'me', {}, { ...ours, ...session }), 'helpdesk');
    const refused = await post(app.url, rpc('tools/call', { name: 'write' }), { ...ours, ...session });
    assert.equal(
      [refused.status, challenge(refused)],
      [403, 'Bearer error="insufficient_scope", scope="notes notes:write"'],
    );
    assert.is((await request(app.url, '/.well-known/oauth-protected-resource')).status, 404);
  } finally {
    await app.stop();
  }
});

test('a token without the scope is 403, and the response names the scope', async () => {
  const all = await post(url, initialize, bearer('ada|other'));
  assert.is(all.status, 403);
  assert.match(String(challenge(all)), /^Bearer error="insufficient_scope", scope="other notes"/);
  const session = { ...ada, ...(await begin(url, ada)) };
  const one = await post(url, rpc('tools/call', { name: 'write' }), session);
  assert.is(one.status, 403);
  assert.match(String(challenge(one)), /scope="notes notes:write"/);
  assert.is(await call(url, 'write', {}, { ...session, ...bearer('ada|notes notes:write') }), 'written');
});

test('a token without the scope cannot complete or subscribe either', async () => {
  const session = { ...ada, ...(await begin(url, ada)) };
  const asked = rpc('completion/complete', {
    ref: { type: 'ref/resource', uri: 'secrets://{id}' },
    argument: { name: 'id', value: '' },
  });
  const [listen, headers] = stateless('subscriptions/listen', {
    notifications: { resourceSubscriptions: ['secrets://1'] },
  });
  for (const answer of [await post(url, asked, session), await post(url, listen, { ...ada, ...headers })]) {
    assert.is(answer.status, 403);
    assert.match(String(challenge(answer)), /scope="notes secrets"/);
  }
});

test('a list names only the members whose scopes the token has', async () => {
  const listed = async (token: string) => {
    const headers = { ...bearer(token), ...(await begin(url, bearer(token))) };
    const names = async (method: string, list: string) => {
      const { result } = (await post(url, rpc(method), headers)).json as {
        result: Record<string, { name: string }[]>;
      };
      return result[list]?.map(({ name }) => name);
    };
    return [await names('tools/list', 'tools'), await names('resources/templates/list', 'resourceTemplates')];
  };
  assert.equal(await listed('ada|notes'), [['me'], []]);
  assert.equal(await listed('ada|notes notes:write secrets'), [['me', 'write'], ['secrets://{id}']]);
});

test('a session belongs to its subject', async () => {
  const session = await begin(url, ada);
  assert.is(await call(url, 'me', {}, { ...session, ...ada }), 'ada');
  assert.is((await post(url, rpc('tools/list'), { ...session, ...bearer('bob|notes') })).status, 404);
});

test('a failing check rejects the request', async () => {
  const mark = server.output.all.length;
  assert.is((await post(url, initialize, bearer('crash|notes'))).status, 500);
  await server.waitFor(/the identity provider is down/, mark);
});

test('a check that throws 401 sends its message in the challenge', async () => {
  const answer = await post(url, initialize, bearer('revoked|notes'));
  assert.is(answer.status, 401);
  assert.match(
    String(challenge(answer)),
    /^Bearer error="invalid_token", scope="notes secrets notes:write", resource_metadata="/,
  );
  assert.equal(answer.json, { error: 'invalid_token', error_description: 'This token was revoked' });
  assert.is((await post(url, initialize, bearer('busy|notes'))).status, 503);
});

test('an identity with more rights than its token is an error', async () => {
  for (const [token, why] of [
    ['nobody', /verify\(\) in mcp\/auth returned an identity whose subject is not a string/],
    ['text', /whose scopes is not a list of names/],
    ['never', /whose expiresAt is not a number/],
  ] as const) {
    const mark = server.output.all.length;
    assert.is((await post(url, initialize, bearer(token))).status, 500, token);
    await server.waitFor(why, mark);
  }
});

test('the audience of a token does not depend on the client, and only configured hosts are answered', async () => {
  const { port } = new URL(url);
  const at = '/.well-known/oauth-protected-resource/mcp';
  for (const host of ['localhost:1', 'localhost', 'LOCALHOST:9999']) {
    const mark = server.output.all.length;
    const answer = await request(url, at, { headers: { host } });
    assert.is((answer.json as { resource: string }).resource, `http://localhost:${port}/mcp`, host);
    await post(url, initialize, { ...ada, host });
    await server.waitFor(new RegExp(`asked for http://localhost:${port}/mcp\n`), mark);
    assert.match(String(challenge(await post(url, initialize, { host }))), new RegExp(`localhost:${port}/`));
  }
  for (const [host, status] of [
    ['evil.example', 403],
    ['evil.example@localhost', 403],
    ['localhost/x', 400],
    ['localhost?', 400],
    ['localhost:99999', 400],
  ] as const)
    for (const path of [at, '/mcp'])
      assert.is((await request(url, path, { headers: { host } })).status, status, host);
});

test('behind a proxy, the audience is a configured name', async () => {
  const hosts = ['shop.example', 'shop.test'];
  const config = `import { defineConfig } from 'fwkit';
export default defineConfig({ mcp: { hosts: ${JSON.stringify(hosts)} } });`;
  const site = await production({ ...files, 'fwk.config.ts': config });
  for (const [host, name] of [
    ['shop.example', 'shop.example'],
    ['shop.test:8443', 'shop.test'],
    ['localhost:3000', 'shop.example'],
  ] as const) {
    const { json } = await site.raw('/.well-known/oauth-protected-resource/mcp', { headers: { host } });
    assert.is((json as { resource: string }).resource, `https://${name}/mcp`);
  }
  await site.stop();
});

for (const name of Object.keys(clients))
  test(`${name} with a token`, async () => {
    const client = await connected(name, { url, headers: ada });
    assert.is((await client.callTool({ name: 'me' })).content[0]?.text, 'ada');
    await client.close();
  });

test.run();
