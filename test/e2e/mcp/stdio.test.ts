import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { bin } from '../../harness/installed.js';
import { Output } from '../../harness/output.js';
import { project } from '../../harness/project.js';
import { assertRefused } from '../../harness/refusal.js';
import { initialize, rpc } from '../../harness/rpc.js';
import { sampled, unsampled } from '../../harness/sample.js';

const loud = {
  'services/noise.ts': `import { stdout } from 'node:process';
import { Console } from 'node:console';
import { service } from 'fwkit';
console.log('log', 'from', 'a module');
console.table([1]);
process.stdout.write('written by a module');
export default service((ctx) => {
  console.info('info');
  console.debug('debug');
  ctx.logger.info('logged');
  stdout.write('through an import');
  new Console(process.stdout).log('a console of its own');
  process.stdout.end('the end');
  return { make: () => console.dir({ noise: true }) };
});`,
  'mcp/tools/loud.ts': `import { tool } from 'fwkit/mcp';
console.log('from a tool');
export default tool({
  description: 'Is loud.\\nVery.',
  handler: async (_input, ctx) => {
    ctx.noise.make();
    process.stdout.write('called\\n');
    await new Promise((resolve) => setTimeout(resolve, 50));
    return 'quiet';
  },
});`,
  'mcp/tools/cart.ts': `import { tool } from 'fwkit/mcp';
export default tool({ title: 'The cart', handler: (_input, ctx) => String(ctx.cart.items.push('pen')) });`,
  'mcp/tools/project/create-from-template.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'With dashes.', handler: () => 'made' });`,
  'mcp/resources/notes/[id].ts': `import { resource } from 'fwkit/mcp';
export default resource({ description: 'One note.', handler: ({ id }) => id });`,
  'mcp/prompts/sum/up.ts': `import { prompt } from 'fwkit/mcp';
export default prompt({ handler: () => 'Sum up.' });`,
  'di/cart.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: () => ({ items: [] as string[] }) });`,
};

const test = suite('fwk mcp');

test('prints one line per tool, resource and prompt, and warns about features that some clients lack', async () => {
  const { status, stdout, stderr } = await fwk(project(loud), 'mcp');
  assert.is(status, 0);
  assert.is(
    stdout,
    'Endpoint /mcp\ntool cart The cart\ntool loud Is loud.\ntool projectCreateFromTemplate With dashes.\nresource notes://{id} One note.\nprompt sumUp\n',
  );
  assert.match(
    stderr,
    /^FWK311 Session values \(src\/di\/cart\.ts\) .* stateless protocol \(2026-07-28\)\.\n$/,
  );
});

unsampled(test)('reports an empty endpoint', async () => {
  const made = project({ 'api/x.get.ts': `import { get } from 'fwkit';\nexport default get(() => 1);` });
  const { status, stdout, stderr } = await fwk(made, 'mcp');
  assert.equal([status, stdout], [0, 'Endpoint /mcp\n']);
  assert.match(
    stderr,
    /^FWK519 There is nothing for MCP clients, so the endpoint is not served yet: add a tool/,
  );
  assertRefused(await fwk(made, 'mcp', '--stdio'), 'fwk mcp --stdio');
});

/** Writes lines to `fwk mcp --stdio`, closes its stdin and returns the output. */
async function piped(root: string, messages: readonly unknown[]) {
  const child = spawn(bin('fwk'), ['mcp', '--stdio'], { cwd: root });
  const [out, err]: [string[], string[]] = [[], []];
  child.stdout.setEncoding('utf8').on('data', (text) => out.push(text));
  child.stderr.setEncoding('utf8').on('data', (text) => err.push(text));
  child.stdin.end(messages.map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`).join(''));
  const [status] = await once(child, 'close');
  const lines = out.join('').trimEnd().split('\n');
  return { status, lines: lines.map((line) => JSON.parse(line)), stderr: err.join('') };
}

test('answers requests sent before stdin closed, exits with 0, and reserves stdout for the protocol', async () => {
  const made = project(loud);
  const { status, lines, stderr } = await piped(made.root, [
    initialize,
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    '{ not json',
    '['.repeat(101) + ']'.repeat(101),
    rpc('tools/call', { name: 'loud' }, 1),
    rpc('tools/call', { name: 'cart' }, 2),
    rpc('tools/call', { name: 'cart' }, 3),
  ]);
  assert.is(status, 0, stderr);
  const answers = new Map(
    lines.map(({ id, result, error }) => [id, result?.content?.[0].text ?? error?.code]),
  );
  const refused = lines.filter(({ id }) => id === null).map(({ error }) => error.message);
  assert.equal(refused, [
    'The line is not valid JSON',
    'The line is nested deeper than the limit of 100 levels',
  ]);
  // A process is one visitor.
  assert.equal([answers.get(1), answers.get(2), answers.get(3)], ['quiet', '1', '2']);
  for (const said of [
    'from a module',
    'written by a module',
    'through an import',
    'a console of its own',
    'the end',
  ])
    assert.ok(stderr.includes(said), `${said} is not in ${stderr}`);
  assert.match(stderr, /noise: true[\s\S]*called|called[\s\S]*noise: true/);
});

const running = {
  'mcp/tools/slow.ts': `import { tool } from 'fwkit/mcp';
export default tool({
  description: 'Waits until it is told to stop.',
  handler: async (_input, _ctx, call) => {
    await new Promise((resolve) => {
      call.signal.addEventListener('abort', resolve);
      console.error('the tool waits');
    });
    console.error('the tool was stopped');
  },
});`,
  'mcp/tools/deaf.ts': `import { tool } from 'fwkit/mcp';
export default tool({
  description: 'Does not hear that it is told to stop.',
  handler: () => {
    console.error('the tool waits');
    return new Promise((resolve) => setInterval(resolve, 3_600_000));
  },
});`,
};

/** Begins `fwk mcp --stdio` and sends it `messages`. */
function begun(root: string, ...messages: object[]) {
  const child = spawn(bin('fwk'), ['mcp', '--stdio'], { cwd: root });
  const output = new Output(child);
  child.stdin.write([initialize, ...messages].map((one) => `${JSON.stringify(one)}\n`).join(''));
  return { child, output };
}

for (const name of sampled(['slow', 'deaf']))
  for (const how of ['its stdin is closed', 'SIGTERM comes'])
    test(`while the tool ${name} runs and ${how}, the call aborts and the process ends within a second`, async () => {
      const { child, output } = begun(project(running).root, rpc('tools/call', { name }, 1));
      await output.waitFor(/the tool waits/);
      const since = performance.now();
      if (how === 'SIGTERM comes') child.kill('SIGTERM');
      else child.stdin.end();
      const [status] = await once(child, 'exit');
      assert.ok(performance.now() - since < 1_000, `${performance.now() - since} ms`);
      assert.is(status, 0);
      if (name === 'slow') assert.match(output.stderr, /the tool was stopped/);
    });

unsampled(test)(
  'rejects a request with an ID in use, or over the limit, and answers the next one',
  async () => {
    const config = `import { defineConfig } from 'fwkit';
export default defineConfig({ mcp: { bodyLimit: 2_000, pendingLimit: 20_000 } });`;
    const made = project({ ...running, 'fwk.config.ts': config });
    const slow = (id: number) => rpc('tools/call', { name: 'slow' }, id);
    const { child, output } = begun(made.root, slow(1));
    await output.waitFor(/the tool waits/);
    const send = (message: object) => void child.stdin.write(`${JSON.stringify(message)}\n`);
    send(rpc('ping', {}, 1));
    await output.waitFor(/"id":null,"error":\{"code":-32600,"message":"The id 1 is already in use/);
    send(rpc('ping', { text: 'x'.repeat(3_000) }, 2));
    await output.waitFor(/A line is longer than the limit of 2000 bytes \(mcp\.bodyLimit\)/);
    for (let id = 3; id < 9; id++) send(slow(id));
    await output.waitFor(
      /"id":8,"error":\{"code":-32000,"message":"The server does not have enough memory for this request now/,
    );
    for (let id = 1; id < 9; id++)
      send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    send(rpc('ping', {}, 10));
    await output.waitFor(/"result":\{\},"jsonrpc":"2\.0","id":10|"id":10,"result":\{\}/);
    child.stdin.end();
    await once(child, 'exit');
  },
);

test.run();
