import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bin } from '../../harness/installed.js';
import { Output } from '../../harness/output.js';
import { production } from '../../harness/production.js';
import { type Files, project } from '../../harness/project.js';
import { begin, call, initialize, post, rpc, stateless } from '../../harness/rpc.js';

const object = '{ type: "object", properties: { a: { type: "string" } } }';
const files: Files = {
  'mcp/tools/echo.ts': `import { error } from 'fwkit';
import { tool } from 'fwkit/mcp';
export default tool({ input: ${object}, handler: ({ a }) => {
  if (a === 'refuse') throw error(404);
  return a ?? 'nothing';
} });`,
  'mcp/tools/names.ts': `import { tool } from 'fwkit/mcp';
export default tool({ input: { type: 'object' }, handler: (input) => 'names ' + Object.getOwnPropertyNames(input) });`,
  'mcp/prompts/ask.ts': `import { prompt } from 'fwkit/mcp';
export default prompt({ input: ${object}, handler: ({ a }) => String(a) });`,
  'mcp/resources/notes/[id].ts': `import { resource } from 'fwkit/mcp';
export default resource({ handler: ({ id }) => id });`,
};

/** Bodies that are not a JSON-RPC message. */
const BODIES = [
  '['.repeat(5_000) + ']'.repeat(5_000),
  '',
  '{',
  'null',
  '1',
  '"text"',
  'true',
  '[]',
  '[[]]',
  '{}',
  '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
  '{"jsonrpc":"1.0","id":1,"method":"ping"}',
  '{"jsonrpc":2,"id":1,"method":"ping"}',
  '{"id":1,"method":"ping"}',
  '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","id":1}',
  '{"jsonrpc":"2.0","id":null,"method":"ping"}',
  '{"jsonrpc":"2.0","id":{},"method":"ping"}',
  '{"jsonrpc":"2.0","id":[1],"method":"ping"}',
  '{"jsonrpc":"2.0","id":true,"method":"ping"}',
  '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
  '{"jsonrpc":"2.0","id":1,"method":{}}',
  '{"jsonrpc":"2.0","id":1,"method":null}',
  '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
  '{"jsonrpc":"2.0","id":1,"method":"ping","params":null}',
  '{"jsonrpc":"2.0","id":1,"method":"ping","params":"a"}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}',
  '{"__proto__":{"jsonrpc":"2.0"},"id":1,"method":"ping"}',
  '{"jsonrpc":"2.0","id":1,"error":5}',
  '{"jsonrpc":"2.0","id":1,"result":null}',
];

const ODD = [null, 0, 'a', true, [], [1], {}, { a: 1 }];

/** Requests whose parameters are wrong. */
const REQUESTS = [
  ...ODD.flatMap((odd) => [
    ['tools/call', { name: odd }],
    ['prompts/get', { name: odd }],
    ['resources/read', { uri: odd }],
    ['resources/subscribe', { uri: odd }],
    ['logging/setLevel', { level: odd }],
    ['completion/complete', { ref: odd, argument: odd }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'ask' }, argument: odd }],
    ['subscriptions/listen', { notifications: odd }],
    ['no/such', { a: odd }],
    ['', { a: odd }],
    ['constructor', { a: odd }],
    ['__proto__', { a: odd }],
  ]),
  ...[null, 0, 'a', true, [], [1]].flatMap((odd) => [
    ['tools/call', { name: 'echo', arguments: odd }],
    ['prompts/get', { name: 'ask', arguments: odd }],
    ['tools/call', { name: 'echo', _meta: odd }],
    ['tools/list', { cursor: { odd } }],
    ['initialize', { protocolVersion: odd, capabilities: odd, clientInfo: odd }],
  ]),
  ...['__proto__', 'constructor', 'toString', 'notes://..', 'notes://%2e%2e'].flatMap((name) => [
    ['tools/call', { name, arguments: {} }],
    ['prompts/get', { name }],
    ['resources/read', { uri: name }],
    ['skills/get', { uri: name }],
    ['completion/complete', { ref: { type: 'ref/prompt', name }, argument: { name: 'a', value: '' } }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'ask' }, argument: { name, value: '' } }],
  ]),
  ...[null, 1.5, {}, []].flatMap((odd) => [
    ['tools/call', { name: 'echo', arguments: {}, _meta: { progressToken: odd } }],
    ['tools/list', { _meta: { progressToken: odd } }],
    ['tools/call', { name: 'echo', arguments: { a: odd } }],
  ]),
] as [string, Record<string, unknown>][];

const META = 'io.modelcontextprotocol/';
const ENVELOPES = ODD.flatMap((odd) => [
  { [`${META}protocolVersion`]: odd },
  { [`${META}clientCapabilities`]: odd },
  { [`${META}clientCapabilities`]: { elicitation: odd, sampling: odd, roots: odd, extensions: odd } },
  { [`${META}clientInfo`]: odd },
  { [`${META}clientInfo`]: { name: odd, version: odd } },
  { [`${META}logLevel`]: odd },
  { progressToken: odd },
]);

/** Arguments that change prototypes in code that merges objects: they are removed. */
const PROTOTYPES =
  '{"jsonrpc":"2.0","id":9998,"method":"tools/call","params":{"name":"names","arguments":{"a":1,"__proto__":{"b":1},"constructor":{"prototype":{"b":1}}}}}';

interface Reply {
  readonly result?: { readonly isError?: boolean; readonly content?: readonly { readonly text: string }[] };
  readonly error?: { readonly code: number; readonly message: string };
}

/** An error is one sentence, in plain words. */
function assertClear({ error, result }: Reply, about: string): void {
  const message = error ? error.message : result?.isError ? (result.content?.[0]?.text ?? '') : undefined;
  if (error) assert.ok(Number.isInteger(error.code), about);
  else assert.ok(result, `neither result nor error: ${about}`);
  if (message === undefined) return;
  assert.ok(message.length > 0 && message.length < 400, `${about}: ${message}`);
  assert.not.match(message, /\n|\[\{|"code"|\[object|Internal error/, about);
}

const test = suite('malformed messages');

test('each gets one sentence over HTTP, in both protocols, and the server lives', async () => {
  const site = await production(files);
  const session = await begin(site.url);
  const [, headers] = stateless('tools/call', { name: 'echo' });
  const check = async (body: unknown, more: Readonly<Record<string, string>>) => {
    const answer = await post(site.url, body, more);
    const about = `${JSON.stringify(body)} ${JSON.stringify(more)}: ${answer.status} ${answer.text}`;
    assert.ok(answer.status < 500, about);
    if (answer.status === 202) return;
    if (!String(answer.headers['content-type']).includes('event-stream'))
      assertClear(answer.json as Reply, about);
  };
  for (const body of BODIES) for (const more of [{}, session, headers]) await check(body, more);
  for (const [method, params] of REQUESTS) {
    await check(rpc(method, params), session);
    const [body, more] = stateless(method, params);
    // A header carries texts only.
    if (params.name === undefined || typeof params.name === 'string') await check(body, more);
  }
  for (const envelope of ENVELOPES)
    for (const method of ['tools/call', 'tools/list']) {
      const [body, more] = stateless(method, method === 'tools/call' ? { name: 'echo' } : {});
      const params = body.params as { _meta: object };
      await check({ ...body, params: { ...params, _meta: { ...params._meta, ...envelope } } }, more);
    }
  assert.match((await post(site.url, PROTOTYPES, session)).text, '"names a"');
  assert.is(await call(site.url, 'echo', { a: 'alive' }, session), 'alive');
  assert.is(await call(site.url, 'echo', { a: 'refuse' }, session), 'Not Found');
  const nothing = await post(site.url, rpc('tools/call', { name: 'echo', arguments: null }), session);
  assert.equal((nothing.json as Reply).error, {
    code: -32602,
    message: 'The request is invalid: params.arguments: Invalid input: expected record, received null',
  });
  await site.stop();
});

test('each gets one sentence over stdio, and the process lives', async () => {
  const { root } = project(files);
  const child = spawn(bin('fwk'), ['mcp', '--stdio'], { cwd: root });
  const output = new Output(child);
  const ended = once(child, 'exit');
  const requests = REQUESTS.map(([method, params], index) => rpc(method, params, 100 + index));
  const lines = [
    JSON.stringify(initialize),
    ...BODIES.filter((body) => body !== ''),
    ...requests.map((request) => JSON.stringify(request)),
    PROTOTYPES,
    JSON.stringify(rpc('tools/call', { name: 'echo', arguments: { a: 'alive' } }, 9_999)),
  ];
  child.stdin.write(`${lines.join('\n')}\n`);
  await output.waitFor(/alive/);
  child.stdin.end();
  await ended;
  assert.match(output.stdout, '"names a"');
  const replies = output.stdout.trim().split('\n');
  for (const reply of replies) assertClear(JSON.parse(reply) as Reply, reply);
  for (const { id, method, params } of requests)
    assert.ok(
      replies.some((reply) => (JSON.parse(reply) as { id: unknown }).id === id),
      `no answer: ${method} ${JSON.stringify(params)}`,
    );
});

test.run();
