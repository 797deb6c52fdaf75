import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { type Files, project } from '../../harness/project.js';
import { middleware, module, route, service } from '../../harness/source.js';

const test = suite('plugin commands that serve');

const files: Files = {
  'api/x.get.ts': route('get', '() => { throw new Error("ran"); }'),
  'api/slow.get.ts': route('get', '() => "ran"'),
  'api/params/[id].get.ts': `import { get } from 'fwkit';
    export default get({ tool: { name: 'byId', description: 'A route.' } }, () => { throw new Error('ran'); });`,
  'middlewares/1.talk.ts': middleware(`(req, res, ctx, next) => {
      console.log('spoken', ctx.store);
      return next();
    }`),
  'mcp/_middleware.ts': module(
    'error, middleware',
    `export default middleware((req, res, ctx, next) => {
      if (req.header('x-stranger')) throw error(401, 'no');
      return next();
    });`,
  ),
  'mcp/tools/purge.ts': `import { tool } from 'fwkit/mcp';
    const input = { type: 'object', properties: { why: { type: 'string' } }, required: ['why'] };
    export default tool({ description: 'Purges.', input, handler: () => { throw new Error('ran'); } });`,
  'mcp/resources/notes/[id].ts': `import { resource } from 'fwkit/mcp';
    export default resource({ description: 'A note.', handler: () => { throw new Error('ran'); } });`,
  'mcp/prompts/sum.ts': `import { prompt } from 'fwkit/mcp';
    export default prompt({ description: 'Sums.', handler: () => { throw new Error('ran'); } });`,
  'services/store.ts': service("() => { throw new Error('made'); }"),
  'fwk.config.ts': "import { caller } from './lib/caller.js';\nexport default { plugins: [caller] };\n",
  'lib/caller.ts': `
import { isHttpRoute } from 'fwkit/http';
import { replaceMcpHandlers } from 'fwkit/mcp';
import { Deferred, definePlugin, Stage } from 'fwkit/plugin';

const begun = new Deferred();

const apply = (hooks) =>
  hooks.resolve.tapPromise({ name: 'caller', stage: Stage.wrap - 1 }, async (routes, project) => {
    replaceMcpHandlers(project, ({ kind, name }) => kind + ' ' + name);
    const slow = () => {
      begun.resolve();
      return new Promise(() => {});
    };
    const handlerOf = ({ path }) => (path === '/api/slow' ? slow : () => 'replaced');
    return routes.map((one) =>
      isHttpRoute(one) && one.kind !== 'mcp' ? { ...one, handler: handlerOf(one) } : one);
  });

async function run({ serve, flags }) {
  const { url, routes, project, close } = await serve({ apply, overrides: flags.made ? {} : { store: 'given' } });
  const at = url.slice(0, -1);
  const lines = [routes.length > 3, project.run.purpose];
  lines.push(await (await fetch(at + '/api/x')).json());
  const call = async (method, params, headers = {}) => {
    const response = await fetch(at + '/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': params.name ?? params.uri,
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      } } }),
    });
    if (response.status !== 200) return response.status;
    const { result, error } = await response.json();
    return error?.message ?? (result.content ?? result.contents ?? result.messages.map((one) => one.content))[0].text;
  };
  lines.push(await call('tools/call', { name: 'purge', arguments: { why: 5 } }));
  lines.push(await call('resources/read', { uri: 'notes://7' }));
  lines.push(await call('prompts/get', { name: 'sum' }));
  lines.push(await call('tools/call', { name: 'byId', arguments: { id: '1' } }));
  lines.push(await call('tools/call', { name: 'purge' }, { 'x-stranger': '1' }));
  const cut = fetch(at + '/api/slow').then(() => 'answered', () => 'cut off');
  await begun.promise;
  const before = performance.now();
  await close();
  lines.push(await cut, performance.now() - before < 2_000);
  lines.push(await fetch(at).then(() => 'open', () => 'closed'));
  for (const line of lines) console.log(String(line));
}

export const caller = definePlugin({
  name: 'caller',
  apply() {},
  commands: [{
    name: 'call',
    description: 'Serve the project, and call it.',
    flags: [{ name: 'made', description: 'Make the store' }],
    load: async () => ({ run }),
  }],
});
`,
};

test('a command serves the project in its process without output of the project, and aborts running requests at its end', async () => {
  const { status, stdout, stderr } = await fwk(project(files), 'call');
  assert.is(status, 0, stderr);
  const called = ['replaced', 'tool purge', 'resource notes://{id}', 'prompt sum', '"replaced"', '401'];
  assert.equal(stdout.trim().split('\n'), ['true', 'run', ...called, 'cut off', 'true', 'closed']);
  assert.is(stderr, '');
});

test('a failed start is reported, and the terminal is restored', async () => {
  const { status, stdout, stderr } = await fwk(project(files), 'call', '--made');
  assert.is(status, 1);
  assert.is(stdout, '');
  assert.match(stderr, 'src/services/store.ts');
  assert.match(stderr, 'made');
});

test.run();
