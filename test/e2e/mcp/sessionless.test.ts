import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev } from '../../harness/fwk.js';
import { clients, connected, type Made } from '../../harness/mcp-clients.js';
import { project } from '../../harness/project.js';
import { initialize, post } from '../../harness/rpc.js';

// `mcp: { sessions: false }`: any of several servers answers any request.

const files = {
  'fwk.config.ts': `import { defineConfig } from 'fwkit';
export default defineConfig({ mcp: { sessions: false, secret: 'known to both of the servers here' } });`,
  'mcp/tools/where.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Tells which process answers.', handler: () => String(process.pid) });`,
  'mcp/tools/name.ts': `import { tool } from 'fwkit/mcp';
export default tool({
  description: 'Asks twice.',
  handler: async (_input, _ctx, call) => {
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
    const first = await call.ask('elicitation/create', { message: 'First?', requestedSchema });
    const second = await call.ask('elicitation/create', { message: 'Second?', requestedSchema });
    return \`\${first.content?.name} \${second.content?.name}\`;
  },
});`,
};

const test = suite<Record<string, never>>('two servers behind a balancer', {});
let turn = 0;
const balancer = createServer((request, response) => {
  turn += 1;
  const { hostname, port } = new URL(servers[turn % 2]?.url ?? '');
  const { method, headers, url: path } = request;
  request.pipe(
    forward({ hostname, port, method, headers, path }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    }),
  );
});
const url = () => `http://localhost:${(balancer.address() as AddressInfo).port}`;

const servers = await Promise.all([dev(project(files)), dev(project(files))]);
await once(balancer.listen(0), 'listening');
test.after(async () => {
  balancer.closeAllConnections();
  balancer.close();
  await Promise.all(servers.map((server) => server.stop()));
});

const CALLS = 1_000;

for (const name of Object.keys(clients))
  test(`${name}: ${CALLS} calls`, async () => {
    const client = await connected(name, { url: url() });
    const answered = new Map<string, number>();
    const work = async (calls: number) => {
      for (let index = 0; index < calls; index += 1) {
        const { content } = await client.callTool({ name: 'where' });
        const process = content[0]?.text ?? '';
        answered.set(process, (answered.get(process) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 10 }, () => work(CALLS / 10)));
    const counts = [...answered.values()];
    assert.is(counts.length, 2);
    assert.is(
      counts.reduce((sum, count) => sum + count, 0),
      CALLS,
    );
    await client.close();
  });

test('one server asks a question, and the other receives the answer', async () => {
  let asked = 0;
  const answering = ({ client, named }: Made) =>
    client.setRequestHandler(named('elicitation/create'), () => {
      asked += 1;
      return { action: 'accept', content: { name: `answer ${asked}` } };
    });
  const client = await connected('v2 client, 2026-07-28', { url: url() }, answering, { elicitation: {} });
  const { content } = await client.callTool({ name: 'name' });
  assert.is(content[0]?.text, 'answer 1 answer 2');
  await client.close();
});

test('has no sessions to begin, listen to or end', async () => {
  const answer = await post(url(), initialize);
  assert.equal([answer.status, answer.headers['mcp-session-id']], [200, undefined]);
  for (const method of ['GET', 'DELETE']) {
    const refused = await fetch(`${url()}/mcp`, { method });
    assert.equal([refused.status, refused.headers.get('allow')], [405, 'POST']);
  }
});

test.run();
