import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { project } from '../../harness/project.js';
import { MAIN, production } from '../../harness/settings.js';

const tool = (handler: string, more = '') => `import { error } from 'fwkit';
import { tool } from 'fwkit/mcp';
export default tool({ description: 'A tool.', ${more} handler: ${handler} });`;

const asking = `(_input, _ctx, call) => call.ask('elicitation/create', { message: 'Name?', requestedSchema: { type: 'object', properties: {} } })`;
const made = project(
  {
    'main.ts': MAIN,
    'mcp/tools/text.ts': tool(
      '({ a }) => "got " + a',
      `input: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },`,
    ),
    'mcp/tools/object.ts': tool(
      '() => ({ sum: 5, deep: { "ä": [1, null] } })',
      `output: { type: "object", properties: { sum: { type: "number" } } },`,
    ),
    'mcp/tools/bytes.ts': tool('() => 12345678901234567890n'),
    'mcp/tools/image.ts': tool('() => ({ type: "image", data: "AA==", mimeType: "image/png" })'),
    'mcp/tools/whole.ts': tool(
      '() => ({ content: [{ type: "text", text: "a", annotations: { priority: 1 } }], _meta: { x: 1 } })',
    ),
    'mcp/tools/wrong.ts': tool('() => ({ content: [{ type: "text", text: 5 }] })'),
    'mcp/tools/list.ts': tool('() => ({ content: [], structuredContent: [1] })'),
    'mcp/tools/nothing.ts': tool('() => undefined'),
    'mcp/tools/refuses.ts': tool('() => { throw error(404, "no such note"); }'),
    'mcp/tools/fails.ts': tool('() => { throw new Error("secret"); }'),
    'mcp/tools/logs.ts': tool(
      'async (_input, _ctx, call) => { await call.log("error", "x", "db"); await call.log("info", { a: 1 }); call.log("error", 1n); await call.progress(1, 2); return "done"; }',
    ),
    'mcp/tools/asks.ts': tool(asking),
  },
  'js',
);

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
/** A valid header that only the SDK parses. */
const ODD_ACCEPT = 'application/json, text/event-stream, */*';

const test = suite('plain calls');

test('the response equals that of the SDK byte for byte', async () => {
  const { url, child, end } = await production(made, 'main.js');
  const call = async (
    name: string,
    given: unknown,
    capabilities: object,
    more: object,
    id: unknown = 7,
    accept = 'application/json, text/event-stream',
  ) => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': capabilities,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      ...more,
    };
    const answer = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': name,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name, arguments: given, _meta: meta },
      }),
    });
    const text = await answer.text();
    // The signed state that a client carries between rounds differs by its time.
    return `${answer.status} ${answer.headers.get('content-type')} ${text.replace(/"requestState":"[^"]*"/, '"requestState":""')}`;
  };
  const names = [
    'text',
    'object',
    'bytes',
    'image',
    'whole',
    'wrong',
    'list',
    'nothing',
    'refuses',
    'fails',
    'logs',
    'asks',
    'nowhere',
  ];
  const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
  const clients = [{}, { elicitation: {}, sampling: {} }, { elicitation: { form: {}, url: {} }, extensions }];
  // The metadata that clients send with every call.
  const metadata = [
    {},
    { progressToken: 1 },
    { progressToken: 'p', 'example.org/trace': 1 },
    { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
    { 'io.modelcontextprotocol/clientInfo': { name: 'a', version: '1', websiteUrl: 'https://a.example' } },
    { [LOG_LEVEL]: 'debug', progressToken: 1 },
    { [LOG_LEVEL]: 'error' },
    { [LOG_LEVEL]: 'critical' },
    { [LOG_LEVEL]: 'loud' },
  ];
  for (const name of names)
    for (const given of [undefined, { a: 1 }, { a: 'x' }])
      for (const capabilities of clients)
        for (const more of metadata) {
          const expected = await call(name, given, capabilities, more, 7, ODD_ACCEPT);
          const plain = await call(name, given, capabilities, more);
          assert.is(plain, expected, `${name} ${JSON.stringify([given, capabilities, more])}`);
        }
  assert.match(await call('logs', {}, {}, { progressToken: 1 }), 'text/event-stream');
  assert.match(await call('text', { a: 1 }, {}, {}, 'an id'), '"text":"got 1"');
  assert.match(
    await call('logs', {}, {}, { [LOG_LEVEL]: 'error' }),
    /"level":"error","data":"x"(?!.*"info")/,
  );
  assert.match(await call('asks', {}, { elicitation: {} }, {}), '"resultType":"input_required"');
  for (const id of [null, 1.5, [1], { a: 1 }])
    assert.is(
      await call('text', { a: 1 }, {}, {}, id),
      await call('text', { a: 1 }, {}, {}, id, ODD_ACCEPT),
      String(id),
    );
  child.kill('SIGTERM');
  await end;
});

test.run();
