import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Dev, dev } from '../../harness/fwk.js';
import { gate } from '../../harness/gate.js';
import { connected, type McpClient } from '../../harness/mcp-clients.js';
import { withPatience } from '../../harness/patience.js';
import { type Project, project } from '../../harness/project.js';

const greet = (word: string) => `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Says ${word}.', handler: (_input, ctx) => '${word} ' + ctx.count.next() });`;

const files = {
  'services/count.ts': `import { service } from 'fwkit';
export default service((_ctx, { onDestroy }) => {
  let count = 0;
  onDestroy(() => console.error('destroyed'));
  return { next: () => (count += 1) };
});`,
  'mcp/tools/greet.ts': greet('Hello'),
  'mcp/resources/test/a.ts': `import { resource } from 'fwkit/mcp';
export default resource({ description: 'A.', handler: () => 'a' });`,
  'mcp/tools/change.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Says that A has changed.', handler: (_input, _ctx, call) => call.notify('test://a') });`,
};

/** The notifications of a client, one at a time. */
class Heard {
  readonly #all: string[] = [];
  #wake = (): void => {};

  add(what: string): void {
    this.#all.push(what);
    this.#wake();
  }

  async next(): Promise<string> {
    while (this.#all.length === 0)
      await withPatience(
        new Promise<void>((resolve) => (this.#wake = resolve)),
        (limit) => new Error(`No notification came in ${limit} ms.`),
      );
    return this.#all.shift() ?? '';
  }
}

/** Each protocol over HTTP, and one client over stdio: `clients.test.ts` tries all clients over both. */
for (const [name, over] of [
  ['v1 client', 'http'],
  ['v2 client, 2026-07-28', 'http'],
  ['v2 client, 2025', 'stdio'],
] as const) {
  const test = suite<Record<string, never>>(`${name} over ${over}`, {});
  let made: Project;
  let server: Dev | undefined;
  let client: McpClient;
  const heard = new Heard();
  const text = async (tool: string) => (await client.callTool({ name: tool })).content[0]?.text ?? '';

  test.before(async () => {
    made = project(files);
    server = over === 'http' ? await dev(made) : undefined;
    const target = server ? { url: server.url } : { project: made };
    client = await connected(name, target, ({ client, named }) => {
      client.setNotificationHandler(named('notifications/tools/list_changed'), () => heard.add('tools'));
      client.setNotificationHandler(named('notifications/resources/updated'), ({ params }) =>
        heard.add(String(params.uri)),
      );
    });
    if (name.endsWith('2026-07-28'))
      await client.listen?.({ toolsListChanged: true, resourceSubscriptions: ['test://a'] });
    else await client.subscribeResource({ uri: 'test://a' });
  });
  test.after(async () => {
    await client.close();
    await server?.stop();
  });

  test('is notified about a subscribed resource', async () => {
    await client.callTool({ name: 'change' });
    assert.is(await heard.next(), 'test://a');
  });

  test('is notified about a saved tool, and calls the new one', async () => {
    assert.is(await text('greet'), 'Hello 1');
    made.write('mcp/tools/greet.ts', greet('Bye'));
    assert.is(await heard.next(), 'tools');
    assert.match(await text('greet'), /^Bye/);
    const { tools } = await client.listTools({}, { cacheMode: 'refresh' });
    assert.is(tools.find((tool) => tool.name === 'greet')?.description, 'Says Bye.');
  });

  test('a call during a reload is answered by the new version', async () => {
    const held = await gate();
    made.write('mcp/tools/greet.ts', `await fetch('${held.url}');\n${greet('Soon')}`);
    await held.reached();
    const asked = text('greet');
    // Messages over stdio are read in order: the call has arrived.
    if (over === 'stdio') await client.ping();
    held.open();
    assert.match(await asked, /^Soon/);
    assert.is(await heard.next(), 'tools');
    held.close();
  });

  test('a broken edit keeps the last good version, and two saves are served', async () => {
    const mark = server?.output.all.length;
    made.write('mcp/tools/greet.ts', 'export default 7;');
    await server?.waitFor(/does not export a tool/, mark);
    assert.match(await text('greet'), /^Soon/);
    made.write('mcp/tools/greet.ts', greet('Again'));
    made.write('mcp/tools/more.ts', greet('More'));
    const isListed = async () => {
      const { tools } = await client.listTools({}, { cacheMode: 'refresh' });
      return tools.some(({ name }) => name === 'more');
    };
    // Two saves may become two versions.
    do assert.is(await heard.next(), 'tools');
    while (!(await isListed()));
    assert.match(await text('more'), /^More/);
    assert.match(await text('greet'), /^Again/);
  });

  if (over === 'http')
    test('an open stream of a client keeps no old version in memory', async () => {
      made.write('services/count.ts', `${files['services/count.ts']}\n// Saved.`);
      await server?.waitFor(/destroyed/);
    });

  test.run();
}
