import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { project } from '../../harness/project.js';
import { route } from '../../harness/source.js';

const test = suite('fwk skills --mcp');

test('tells editors of the server, and leaves alone what they have', async () => {
  const own = { 'fwk-dev': { url: 'http://mine/' } };
  const made = project({
    'api/x.ts': route('get', '() => 1'),
    '.mcp.json': JSON.stringify({ mcpServers: { other: { command: 'x' } }, more: 1 }),
    '.cursor/mcp.json': JSON.stringify({ mcpServers: own }),
  });
  const read = (name: string) => JSON.parse(made.read(name));
  const { status, stderr } = await fwk(made, 'skills', '--mcp', '--port', '4000');
  assert.is(status, 0, stderr);
  const url = 'http://localhost:4000/_fwk/mcp';
  assert.equal(read('.mcp.json'), {
    mcpServers: { other: { command: 'x' }, 'fwk-dev': { type: 'http', url } },
    more: 1,
  });
  assert.equal(read('.cursor/mcp.json'), { mcpServers: own });
  assert.equal(read('.vscode/mcp.json'), { servers: { 'fwk-dev': { type: 'http', url } } });
});

test('writes nothing of it without the flag', async () => {
  const made = project({ 'api/x.ts': route('get', '() => 1') });
  assert.is((await fwk(made, 'skills')).status, 0);
  assert.not.ok(made.exists('.mcp.json') || made.exists('.vscode/mcp.json'));
});

test.run();
