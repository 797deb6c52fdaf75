import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between two polls, which is the precision of the measurement. */
const POLL = 1;
/** Milliseconds after which an edit counts as lost. */
const TIMEOUT_MS = 60_000;

/** Sends a GET request and resolves with status and body. Without an agent, each request uses a new connection. */
export function httpGet(port, path, agent = false) {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, agent }, (incoming) => {
      let body = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk) => {
        body += chunk;
      });
      incoming.on('end', () => resolve({ status: incoming.statusCode, body }));
      incoming.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/**
 * Sends requests one after the other until a response passes `isWanted`; resolves with the milliseconds since `start`.
 */
export async function waitForResponse(port, path, isWanted, start) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    while (performance.now() - start < TIMEOUT_MS) {
      const answer = await httpGet(port, path, agent).catch(() => undefined);
      if (answer?.status === 200 && isWanted(JSON.parse(answer.body))) return performance.now() - start;
      await sleep(POLL);
    }
    throw new Error(`${path} did not send the expected response within ${TIMEOUT_MS / 1000} s`);
  } finally {
    agent.destroy();
  }
}
