import * as assert from 'uvu/assert';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { module, tells, wsModule } from '../../harness/source.js';

const files: Files = {
  'api/read/[name].get.ts': tells('get', 'name'),
  'api/rest/[...path].get.ts': tells('get', 'path'),
  'api/tool/[name].get.ts': module(
    'get',
    `export default get({ tool: { name: 'read', description: 'Reads a file.' } }, ({ params }) => params.name);`,
  ),
  'ws/files/[name].ts': wsModule(`(socket, req) => socket.send(req.params.name)`),
  'mcp/resources/file.ts': `import { resource } from 'fwkit/mcp';
export default resource({ uri: 'files://{+path}', handler: ({ path }) => path });`,
};

const LEAVING = ['..%2f..%2fetc%2fpasswd', 'a%2F..%2Fb', '..%5c..%5cx', '..\\x', 'a%5C%2E%2E', '%2e%2e%2f'];
const STAYING = { 'a%2Fb': 'a/b', 'a..b': 'a..b', '..a': '..a', 'a%2F...%2Fb': 'a/.../b', '...': '...' };

served(files, (test, site) => {
  const call = async (method: string, params: object) => {
    const response = await site.fetch('/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': 'uri' in params ? String(params.uri) : 'read',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method,
        params: {
          ...params,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
            'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          },
        },
      }),
    });
    return response.text();
  };

  test('HTTP: a path that contains a parent directory matches no route', async () => {
    for (const name of LEAVING)
      for (const path of [`/api/read/${name}`, `/api/rest/a/${name}`, `/api/rest/${name}/b`])
        assert.is((await site.raw(path)).status, 404, path);
    for (const [name, value] of Object.entries(STAYING)) {
      assert.equal((await site.raw(`/api/read/${name}`)).json, {
        at: 'name',
        method: 'GET',
        params: { name: value },
      });
      assert.is((await site.raw(`/api/rest/x/${name}`)).status, 200, name);
    }
  });

  test('WebSockets: the handshake gets a 404', async () => {
    const handshake = {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      },
    };
    for (const name of LEAVING) assert.is((await site.raw(`/ws/files/${name}`, handshake)).status, 404, name);
  });

  test('MCP resources: the URI matches no resource', async () => {
    for (const uri of ['files://../../etc/passwd', 'files://a/%2E%2e/b', 'files://..%5cx', 'files://..'])
      assert.match(await call('resources/read', { uri }), /"error"/, uri);
    assert.match(await call('resources/read', { uri: 'files://a/..b' }), '"text":"a/..b"');
  });

  test('route tools: the argument is rejected', async () => {
    for (const name of ['..', '../x', 'a/../b', '..\\x', ''])
      assert.match(
        await call('tools/call', { name: 'read', arguments: { name } }),
        'is part of a path',
        name,
      );
    assert.match(await call('tools/call', { name: 'read', arguments: { name: 'a/b' } }), /"text":"[^}]*a\/b/);
  });
});
