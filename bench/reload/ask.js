import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between two polls: what is measured is this exact. */
const POLL = 1;
/** Milliseconds after which an edit counts as lost. */
const PATIENCE = 60_000;

/** Send a GET and resolve with status and body. Without an agent each request has a connection of its own. */
export function ask(port, path, agent = false) {
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

/** Ask one request after the other until one has the answer that `isWanted`; resolves with the milliseconds since `start`. */
export async function untilAnswered(port, path, isWanted, start) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    while (performance.now() - start < PATIENCE) {
      const answer = await ask(port, path, agent).catch(() => undefined);
      if (answer?.status === 200 && isWanted(JSON.parse(answer.body))) return performance.now() - start;
      await sleep(POLL);
    }
    throw new Error(`${path} did not answer as it should in ${PATIENCE / 1000} s`);
  } finally {
    agent.destroy();
  }
}
