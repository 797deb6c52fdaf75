import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Dev, dev, fwk } from '../harness/fwk.js';
import { type Answer, request } from '../harness/http.js';
import { clients, connected } from '../harness/mcp-clients.js';
import { project } from '../harness/project.js';
import { begin, call, initialize, post, rpc, stateless } from '../harness/rpc.js';

// mcp/auth.ts: an OAuth resource server. Tokens here are "<subject>|<scopes>".

const files = {
  'services/users.ts': `import { service } from 'fwkit';
export default service(() => ({ known: ['ada', 'bob'] }));`,
  'mcp/auth.ts': `import { auth } from 'fwkit/mcp';
export default auth({
  servers: ['https://login.example'],
  scopes: ['notes'],
  verify: async (token, ctx, { resource }) => {
    const [subject = '', scopes = '', expiresAt] = Buffer.from(token, 'base64url').toString().split('|');
    if (subject === 'crash') throw new Error('the identity provider is down');
    if (!ctx.users.known.includes(subject) || !resource.endsWith('/mcp')) return null;
    return { subject, scopes: scopes.split(' '), ...(expiresAt ? { expiresAt: Number(expiresAt) } : {}) };
  },
});`,
  'mcp/tools/me.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Who am I?', handler: (_input, _ctx, call) => call.auth?.subject });`,
  'mcp/tools/write.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Writes.', scopes: ['notes:write'], handler: () => 'written' });`,
};

const bearer = (token: string) => ({ authorization: `Bearer ${Buffer.from(token).toString('base64url')}` });
const ada = bearer('ada|notes');
const challenge = ({ headers }: Answer) => headers['www-authenticate'];

const test = suite<Record<string, never>>('mcp/auth', {});
let server: Dev;
let url: string;
const made = project(files);

test.before(async () => {
  server = await dev(made);
  url = server.url;
});
test.after(async () => void (await server.stop()));

test('the metadata says where tokens come from, to anybody', async () => {
  for (const at of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
    const answer = await request(url, at, { headers: { origin: 'https://anywhere.example' } });
    assert.equal(answer.json, {
      resource: `${url}/mcp`,
      authorization_servers: ['https://login.example'],
      scopes_supported: ['notes'],
      bearer_methods_supported: ['header'],
    });
    assert.is(answer.headers['access-control-allow-origin'], '*');
  }
  assert.is(
    (await fwk(made, 'routes')).stdout,
    'GET /.well-known/oauth-protected-resource\nGET /.well-known/oauth-protected-resource/mcp\nMCP /mcp\n',
  );
});

test('without a token, or with one that is not valid or is over, every request is 401', async () => {
  const metadata = `resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`;
  const none = await post(url, initialize);
  assert.equal([none.status, challenge(none)], [401, `Bearer scope="notes", ${metadata}`]);
  const over = bearer(`ada|notes|${Math.floor(Date.now() / 1000) - 1}`);
  for (const headers of [bearer('eve|notes'), over]) {
    const answer = await post(url, initialize, headers);
    assert.is(answer.status, 401);
    assert.is(challenge(answer), `Bearer error="invalid_token", scope="notes", ${metadata}`);
  }
  assert.is((await post(url, initialize, { authorization: 'Basic YTpi' })).status, 401);
  const session = await begin(url, ada);
  assert.is((await post(url, rpc('tools/list'), session)).status, 401);
  assert.is((await request(url, '/mcp', { method: 'DELETE', headers: session })).status, 401);
  const [message, headers] = stateless('tools/list');
  assert.is((await post(url, message, headers)).status, 401);
});

test('a token that does not allow it is 403, and says what would', async () => {
  const all = await post(url, initialize, bearer('ada|other'));
  assert.is(all.status, 403);
  assert.match(String(challenge(all)), /^Bearer error="insufficient_scope", scope="notes"/);
  const session = { ...ada, ...(await begin(url, ada)) };
  const one = await post(url, rpc('tools/call', { name: 'write' }), session);
  assert.is(one.status, 403);
  assert.match(String(challenge(one)), /scope="notes:write"/);
  assert.is(await call(url, 'write', {}, { ...session, ...bearer('ada|notes notes:write') }), 'written');
});

test('a session belongs to its subject', async () => {
  const session = await begin(url, ada);
  assert.is(await call(url, 'me', {}, { ...session, ...ada }), 'ada');
  assert.is((await post(url, rpc('tools/list'), { ...session, ...bearer('bob|notes') })).status, 404);
});

test('a check that fails is no pass', async () => {
  const mark = server.output.all.length;
  assert.is((await post(url, initialize, bearer('crash|notes'))).status, 500);
  await server.waitFor(/the identity provider is down/, mark);
});

for (const name of Object.keys(clients))
  test(`${name} with a token`, async () => {
    const client = await connected(name, { url, headers: ada });
    assert.is((await client.callTool({ name: 'me' })).content[0]?.text, 'ada');
    await client.close();
  });

test.run();
