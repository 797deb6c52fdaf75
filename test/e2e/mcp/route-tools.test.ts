import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Dev, dev, fwk } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { connected, type McpClient } from '../../harness/mcp-clients.js';
import { type Project, project } from '../../harness/project.js';
import { toolRoutes } from './route-tools-project.js';

const made = project(toolRoutes);
linkLibraries(made);

interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly title?: string;
  readonly inputSchema: { readonly properties?: Record<string, object>; readonly required?: string[] };
  readonly outputSchema?: object;
  readonly annotations?: object;
}

const open = async (name: string, target: Dev | Project, headers: Record<string, string> = {}) =>
  connected(name, 'url' in target ? { url: target.url, headers } : { project: target });

/** The first text of a tool's result, and whether it is an error. */
async function ask(client: McpClient, name: string, given: object = {}) {
  const { content, isError = false, structuredContent } = await client.callTool({ name, arguments: given });
  return { text: content[0]?.text ?? '', isError, structuredContent, content };
}

async function listed(client: McpClient): Promise<Map<string, ListedTool>> {
  const { tools } = await client.listTools();
  return new Map(tools.map((tool) => [tool.name, tool as unknown as ListedTool]));
}

const site = await dev(made);

/** Each protocol over HTTP, and one client over stdio: `clients.test.ts` tries all clients over both. */
for (const [name, over] of [
  ['v1 client', 'http'],
  ['v2 client, 2026-07-28', 'http'],
  ['v2 client, 2025', 'stdio'],
] as const) {
  const test = suite<Record<string, never>>(`routes as tools, ${name} over ${over}`, {});
  const server = over === 'http' ? site : undefined;
  let client: McpClient;

  test.before(async () => {
    client = await open(name, server ?? made);
  });
  test.after(async () => {
    await client.close();
  });

  test('are listed by method and path, with their definitions', async () => {
    const tools = await listed(client);
    assert.equal(
      [...tools.keys()],
      ['file', 'getLarge', 'getNotesId', 'postAway', 'postFail', 'postNotesId', 'putSlow'],
    );
    const write = tools.get('postNotesId');
    assert.equal([write?.title, write?.description], ['Write a note', 'Writes a note.']);
    assert.equal(Object.keys(write?.inputSchema.properties ?? {}), ['id', 'tag', 'dry', 'text', 'by']);
    assert.equal(write?.inputSchema.required, ['id', 'text']);
    assert.ok(write?.outputSchema);
    assert.equal(tools.get('getNotesId')?.annotations, { readOnlyHint: true });
    assert.equal(tools.get('file')?.inputSchema.required, ['path']);
  });

  test('answer as the route does', async () => {
    const written = await ask(client, 'postNotesId', { id: 7, tag: ['a', 'b'], text: 'tea' });
    const note = { id: 7, text: 'tea', by: 'nobody', tags: ['a', 'b'], at: '1970-01-01T00:00:00.000Z' };
    assert.equal([written.isError, written.structuredContent], [false, note]);
    assert.equal(JSON.parse(written.text), note);
    assert.equal((await ask(client, 'getNotesId', { id: 'a/b ü%' })).text, '"note a/b ü%"');
    const { content } = await ask(client, 'file', { path: 'a b/c' });
    assert.equal(content, [{ type: 'image', mimeType: 'image/png', data: btoa('a b/c') }]);
  });

  test('a rejection by the route is a tool error with every issue', async () => {
    const refused = await ask(client, 'postNotesId', { id: -1, text: 'x' });
    assert.ok(refused.isError);
    assert.match(refused.text, /^The request is invalid\. id: .*>0; text: .*>=2/);
    const taken = await ask(client, 'postNotesId', { id: 1, text: 'taken', by: 'bob' });
    assert.equal([taken.isError, JSON.parse(taken.text)], [true, { by: 'bob' }]);
    const missing = await ask(client, 'getNotesId', { id: '9' });
    assert.equal([missing.isError, missing.text], [true, 'There is nothing at this address']);
    for (const id of ['', '.', '..', undefined, null, {}])
      assert.ok((await ask(client, 'getNotesId', { id })).isError, JSON.stringify(id));
    assert.match((await ask(client, 'file', { path: 'a/../../account' })).text, /"path"/);
    assert.match((await ask(client, 'getNotesId', { id: '1', more: 1 })).text, /no argument "more"/);
    assert.equal((await ask(client, 'postAway')).text, 'The route redirects to /login (303)');
    assert.match(
      (await ask(client, 'getLarge')).text,
      /larger than the limit of 4194304 bytes .*mcp\.bodyLimit/,
    );
    const mark = server?.output.all.length ?? 0;
    const failed = await ask(client, 'postFail');
    assert.equal([failed.isError, failed.text], [true, 'The tool postFail failed on the server.']);
    await server?.waitFor(/POST \/api\/fail failed in src\/api\/fail\.post\.ts/, mark);
    assert.is(server?.output.all.slice(mark).match(/failed/g)?.length ?? 1, 1);
  });

  test('the middleware of a guarded route rejects a tool call, too', async () => {
    const refused = await ask(client, 'getAccount');
    assert.equal([refused.isError, refused.text], [true, 'Log in first']);
    if (!server) return;
    for (const headers of [{ authorization: 'Bearer ada' }, { cookie: 'user=ada' }]) {
      const known = await open(name, server, headers);
      const answer = await ask(known, 'getAccount', { verbose: true });
      const host = new URL(server.url).host;
      assert.equal(answer.structuredContent, { user: 'ada', ip: true, host });
      assert.equal((await ask(known, 'deleteAccount')).content, []);
      // Other clients don't see it, because the middleware of its route rejects them.
      const hints = { destructiveHint: true, idempotentHint: true };
      assert.equal((await listed(known)).get('deleteAccount')?.annotations, hints);
      await known.close();
    }
    await server.waitFor(
      /FWK516 The tool getAccount: its route sets a cookie, which MCP clients do not receive/,
    );
    const other = await open(name, server, { 'x-tenant': 'closed' });
    assert.equal((await ask(other, 'getNotesId', { id: '1' })).text, 'This tenant is closed');
    await other.close();
  });

  if (over === 'http')
    test('canceling a call aborts the request', async () => {
      const stop = new AbortController();
      const calling = client.callTool(
        { name: 'putSlow', arguments: { word: name } },
        ...(name.startsWith('v1') ? [undefined] : []),
        { signal: stop.signal },
      );
      await server?.waitFor(new RegExp(`waits ${name}`));
      stop.abort();
      await calling.then(
        () => assert.unreachable(),
        () => {},
      );
      await server?.waitFor(new RegExp(`stopped ${name}`));
    });

  test.run();
}

const listing = suite('route tools');

listing('fwk mcp lists them, and fwk routes has the endpoint', async () => {
  const { stdout } = await fwk(made, 'mcp');
  assert.match(stdout, /^Endpoint \/mcp\ntool deleteAccount\n/);
  assert.match(stdout, /^tool postNotesId Writes a note\.$/m);
  assert.match((await fwk(made, 'routes')).stdout, /^MCP \/mcp$/m);
});

listing.after(async () => void (await site.stop()));
listing.run();
