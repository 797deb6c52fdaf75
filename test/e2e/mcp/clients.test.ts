import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev } from '../../harness/fwk.js';
import { clients, connected, type Made, type McpClient, type Target } from '../../harness/mcp-clients.js';
import { project } from '../../harness/project.js';
import { sampled } from '../../harness/sample.js';
import { notes } from './notes.js';

const made = project(notes);
const able = { elicitation: {}, sampling: {} };

const answering = ({ client, named }: Made) => {
  client.setRequestHandler(named('elicitation/create'), () => ({
    action: 'accept',
    content: { name: 'Ada' },
  }));
  client.setRequestHandler(named('sampling/createMessage'), () => ({
    role: 'assistant',
    model: 'none',
    content: { type: 'text', text: 'short' },
  }));
};

const site = await dev(made);
const tried = sampled(Object.keys(clients), 2);
let left = tried.length * 2;

const names = (listed: readonly { readonly name: string }[]) => listed.map(({ name }) => name);

for (const name of tried) {
  for (const over of ['http', 'stdio']) {
    const test = suite<Record<string, never>>(`${name} over ${over}`, {});
    const server = over === 'http' ? site : undefined;
    const target: Target = server ? { url: server.url } : { project: made };
    let client: McpClient;

    test.before(async () => {
      client = await connected(name, target, answering, able);
    });
    test.after(async () => {
      await client.close();
      left -= 1;
      if (left === 0) await site.stop();
    });

    test('lists everything that the files define', async () => {
      const { tools } = await client.listTools();
      assert.equal(names(tools), ['fail', 'name', 'notesSearch', 'slow', 'summary', 'where', 'write']);
      const search = tools.find((tool) => tool.name === 'notesSearch');
      assert.is(search?.title, 'Search notes');
      assert.equal(search?.annotations, { readOnlyHint: true });
      assert.equal(search?.icons, [
        { src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'] },
      ]);
      const { resources } = await client.listResources();
      assert.equal(
        resources.map(({ uri }) => uri),
        ['config://app', 'notes://1', 'notes://2'],
      );
      const { resourceTemplates } = await client.listResourceTemplates();
      assert.equal(
        resourceTemplates.map(({ uriTemplate }) => uriTemplate),
        ['notes://{id}'],
      );
      const { prompts } = await client.listPrompts();
      assert.equal(prompts[0]?.arguments, [
        { name: 'id', required: true },
        { name: 'tone', required: false },
      ]);
    });

    test('calls a tool, which has ctx, and gets text and structure', async () => {
      const found = await client.callTool({ name: 'notesSearch', arguments: { word: 'milk' } });
      assert.equal(found.content, [{ type: 'text', text: '{"ids":["1"]}' }]);
      assert.equal(found.structuredContent, { ids: ['1'] });
      const { content } = await client.callTool({ name: 'where' });
      assert.is(content[0]?.text, over);
    });

    test('gets invalid arguments and tool errors as messages', async () => {
      const wrong = await client.callTool({ name: 'notesSearch', arguments: { word: 7 } });
      assert.is(wrong.isError, true);
      assert.match(wrong.content[0]?.text ?? '', /arguments of notesSearch are invalid.*word.*string/);
      const failed = await client.callTool({ name: 'fail', arguments: { purpose: true } });
      assert.equal([failed.isError, failed.content[0]?.text], [true, 'No such note']);
    });

    test('reads resources, and gets an error for an unknown one', async () => {
      const { contents } = await client.readResource({ uri: 'notes://2' });
      assert.equal(contents, [{ uri: 'notes://2', mimeType: 'text/plain', text: 'read Middlemarch' }]);
      const config = await client.readResource({ uri: 'config://app' });
      assert.is(config.contents[0]?.text, '{"uri":"config://app"}');
      for (const uri of ['notes://9', 'nothing://here'])
        await client.readResource({ uri }).then(
          () => assert.unreachable(uri),
          ({ code, data }) => assert.equal([code, data], [-32602, { uri }]),
        );
    });

    test('gets a prompt', async () => {
      const { messages } = await client.getPrompt({ name: 'summarize', arguments: { id: '1' } });
      assert.equal(messages, [{ role: 'user', content: { type: 'text', text: 'Sum up, dry: buy milk' } }]);
      await client.getPrompt({ name: 'summarize', arguments: { id: '1', tone: 'cruel' } }).then(
        () => assert.unreachable(),
        ({ code }) => assert.is(code, -32602),
      );
    });

    test('completes variables and arguments', async () => {
      const variable = await client.complete({
        ref: { type: 'ref/resource', uri: 'notes://{id}' },
        argument: { name: 'id', value: '2' },
      });
      assert.equal(variable.completion, { values: ['2'], total: 1, hasMore: false });
      const argument = await client.complete({
        ref: { type: 'ref/prompt', name: 'summarize' },
        argument: { name: 'tone', value: 'w' },
      });
      assert.equal(argument.completion.values, ['warm']);
    });

    test('answers questions to a person and to a model, and the call continues', async () => {
      const hello = await client.callTool({ name: 'name' });
      assert.is(hello.content[0]?.text, 'Hello, Ada!');
      const summary = await client.callTool({ name: 'summary' });
      assert.is(summary.content[0]?.text, '{"type":"text","text":"short"}');
    });

    test('does not wait for a client that cannot answer', async () => {
      const unable = await connected(name, target);
      try {
        const refused = await unable.callTool({ name: 'name' }).catch((thrown) => thrown);
        const text = refused instanceof Error ? refused.message : refused.content[0].text;
        assert.match(text, /cannot answer elicitation\/create/);
      } finally {
        await unable.close();
      }
    });

    test('follows progress, and cancels a call', async () => {
      const abort = new AbortController();
      const seen: unknown[] = [];
      const options = {
        signal: abort.signal,
        onprogress: (progress: unknown) => {
          seen.push(progress);
          abort.abort();
        },
      };
      const mark = site.output.mark();
      const call =
        name === 'v1 client'
          ? client.callTool({ name: 'slow' }, undefined, options)
          : client.callTool({ name: 'slow' }, options);
      await call.then(
        () => assert.unreachable(),
        () => {},
      );
      assert.equal(seen, [{ progress: 1, total: 2, message: 'half' }]);
      await server?.waitFor(/the tool was stopped/, mark);
    });

    test.run();
  }
}
