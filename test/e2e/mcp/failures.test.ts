import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../../harness/http.js';
import { production } from '../../harness/production.js';
import { begin, call, initialize, post, rpc } from '../../harness/rpc.js';

const throws = (status: number, body: string) => `if (what === '${status}') throw error(${status}, ${body});`;
const all = [
  throws(404, `{ message: 'The note was deleted' }`),
  throws(403, `'Not yours'`),
  throws(409, `{ message: 'Busy', until: 3 }`),
  throws(500, `'Broken inside'`),
  `if (what === 'mistake') throw new Error('the secret reason');`,
].join('\n    ');

const files = {
  'mcp/resources/notes/[what].ts': `import { error } from 'fwkit';
import { resource } from 'fwkit/mcp';
export default resource({
  complete: { what: (what) => {
    ${all}
    return [];
  } },
  handler: ({ what }) => {
    ${all}
    return null;
  },
});`,
  'mcp/resources/listed/[id].ts': `import { resource } from 'fwkit/mcp';
export default resource({ list: async () => { throw new Error('the secret reason'); }, handler: () => '' });`,
  'mcp/prompts/ask.ts': `import { error } from 'fwkit';
import { prompt } from 'fwkit/mcp';
export default prompt({
  input: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
  handler: ({ what }) => {
    ${all}
    return 'Ask.';
  },
});`,
  'web/signal.ts': `import { get } from 'fwkit';
export default get(() => void process.kill(process.pid, 'SIGUSR2'));`,
  'mcp/tools/late.ts': `import { tool } from 'fwkit/mcp';
export default tool({
  description: 'Tells after it has answered, and waits for nothing.',
  handler: (_input, _ctx, call) => {
    setTimeout(() => {
      call.progress(1);
      call.log('error', 'late');
      call.ask('roots/list');
      call.notify('notes://1');
      console.log('has told');
    }, 10);
    return 'answered';
  },
});`,
  'mcp/tools/odd.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Asks what nobody answers.', handler: (_input, _ctx, call) => call.ask('tools/list') });`,
  'mcp/tools/left.ts': `import { tool } from 'fwkit/mcp';
export default tool({
  description: 'Tells while its client is gone.',
  handler: async (_input, _ctx, call) => {
    console.log('begun');
    await new Promise((resolve) => process.once('SIGUSR2', resolve));
    for (let n = 0; n < 100; n++) {
      call.progress(n);
      call.log('error', 'x'.repeat(10_000));
    }
    console.log('has told');
  },
});`,
};

const test = suite('failures in production');

const site = await production(files);
const session = await begin(site.url);
test.after(async () => site.stop());

const failure = async (method: string, params: object) =>
  ((await post(site.url, rpc(method, params), session)).json as { error: unknown }).error;
const read = (what: string) => failure('resources/read', { uri: `notes://${what}` });

test('an error of a resource keeps its message', async () => {
  assert.equal(await read('404'), {
    code: -32602,
    message: 'The note was deleted',
    data: { uri: 'notes://404' },
  });
  assert.equal(await read('403'), { code: -32602, message: 'Not yours' });
  assert.equal(await read('409'), { code: -32602, message: '{"message":"Busy","until":3}' });
  assert.equal(await read('nothing'), {
    code: -32602,
    message: 'There is no resource notes://nothing',
    data: { uri: 'notes://nothing' },
  });
});

test('errors of prompts and completions keep their message', async () => {
  const got = (what: string) => failure('prompts/get', { name: 'ask', arguments: { what } });
  const completed = (value: string) =>
    failure('completion/complete', {
      ref: { type: 'ref/resource', uri: 'notes://{what}' },
      argument: { name: 'what', value },
    });
  for (const asked of [got, completed]) {
    assert.equal(await asked('404'), { code: -32602, message: 'The note was deleted' });
    assert.equal(await asked('403'), { code: -32602, message: 'Not yours' });
  }
});

test('unexpected errors are hidden and logged, also those of a list', async () => {
  const asked = [
    ['resources/read', { uri: 'notes://mistake' }],
    ['resources/read', { uri: 'notes://500' }],
    ['prompts/get', { name: 'ask', arguments: { what: 'mistake' } }],
    ['resources/list', {}],
  ] as const;
  for (const [method, params] of asked) {
    const mark = site.output.mark();
    const { code, message } = (await failure(method, params)) as { code: number; message: string };
    assert.is(code, -32603);
    assert.match(message, /^The (resource|prompt|list) .* failed on the server\.$/);
    await site.output.waitFor(/the secret reason|Broken inside/, mark);
  }
});

test('an unsupported question is reported with its code', async () => {
  const mark = site.output.mark();
  assert.is(await call(site.url, 'odd', {}, session), 'The tool odd failed on the server.');
  await site.output.waitFor(/FWK520/, mark);
});

test('a handler can send messages after its end without waiting', async () => {
  const mark = site.output.mark();
  const late = rpc('tools/call', { name: 'late', _meta: { progressToken: 1 } });
  assert.match((await post(site.url, late, session)).text, /answered/);
  await site.output.waitFor(/has told/, mark);
  assert.is(await call(site.url, 'late', {}, await begin(site.url)), 'answered');
});

test('a handler can send messages after its client and session are gone', async () => {
  const ended = await begin(site.url);
  const body = JSON.stringify(rpc('tools/call', { name: 'left', _meta: { progressToken: 2 } }));
  const client = await connect(site.url);
  const mark = site.output.mark();
  client.send(
    `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nmcp-session-id: ${ended['mcp-session-id']}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await site.output.waitFor(/begun/, mark);
  client.close();
  assert.is((await site.raw('/mcp', { method: 'DELETE', headers: ended })).status, 204);
  await site.raw('/signal');
  await site.output.waitFor(/has told/, mark);
  assert.is((await post(site.url, initialize)).status, 200);
});

test.run();
