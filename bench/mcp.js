/** tools/call over HTTP: fwk, and the official SDK's own server. See README.md. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ask, startMcpClient, startMcpServer } from './lib/processes.js';
import { describeMachine, median, positive, table } from './lib/report.js';

const CONNECTIONS = 32;
const SUBJECTS = [
  { name: 'SDK v1, sessions, event streams (its default)', entry: 'apps/mcp/sdk.js', env: {} },
  { name: 'SDK v1, sessions, JSON', entry: 'apps/mcp/sdk.js', env: { ANSWER: 'json' } },
  { name: 'fwk, sessions (2025-11-25)', entry: 'apps/mcp/fwk/main.js', env: {} },
  { name: 'fwk, stateless (2026-07-28)', entry: 'apps/mcp/fwk/main.js', env: {}, stateless: true },
];

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    minutes: { type: 'string', default: '1' },
  },
});
const rounds = positive('rounds', values.rounds);
const seconds = positive('seconds', values.seconds);
const minutes = positive('minutes', values.minutes);

const client = startMcpClient();
const servers = await Promise.all(
  SUBJECTS.map(async (subject) => ({ ...subject, ...(await startMcpServer(subject)), results: [] })),
);
try {
  for (const server of servers) await round(server, seconds);
  for (let index = 0; index < rounds; index += 1)
    for (const [offset] of servers.entries()) {
      const server = servers[(index + offset) % servers.length];
      server.results.push(await round(server, seconds));
    }
  const of = ({ results }, key) => median(results.map((result) => result[key]));
  const [yardstick] = servers;
  console.log(
    `${describeMachine(['fwkit', '@modelcontextprotocol/sdk', '@modelcontextprotocol/server', 'zod'])}\n`,
  );
  console.log(
    table([
      ['server', '', 'calls/s', 'CPU/call', 'calls/s ×SDK'],
      ...servers.map((server) => [
        server.name,
        '',
        of(server, 'rate').toFixed(0),
        `${of(server, 'cpu').toFixed(0)} µs`,
        (of(server, 'rate') / of(yardstick, 'rate')).toFixed(2),
      ]),
    ]),
  );
  for (const server of servers.slice(2)) await memory(server);
} finally {
  for (const { child } of [...servers, { child: client }]) child.disconnect();
}

async function round({ port, child, stateless = false }, duration) {
  const before = await ask(child, 'cpu');
  const { done, elapsed } = await ask(client, {
    port,
    stateless,
    connections: CONNECTIONS,
    seconds: duration,
  });
  const after = await ask(child, 'cpu');
  return { rate: done / elapsed, cpu: (after.user + after.system - before.user - before.system) / done };
}

/** The resident memory of a server, five times over a span of load. */
async function memory(server) {
  const sizes = [];
  for (let part = 0; part < 5; part += 1) {
    await round(server, (minutes * 60) / 5);
    await sleep(200);
    const { rss } = await ask(server.child, 'memory');
    sizes.push(`${(rss / 1_048_576).toFixed(0)}`);
  }
  console.log(`\n${server.name}: resident memory over ${minutes} min of load, in MiB: ${sizes.join(', ')}`);
}
