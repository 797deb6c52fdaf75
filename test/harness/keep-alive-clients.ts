import net from 'node:net';

/** Counters of requests over kept connections. */
export interface Tally {
  /** Answered with 200. */
  answered: number;
  /** Answered with anything else. */
  others: number;
  /** Sent, and the connection ended without an answer. */
  lost: number;
}

export interface Clients {
  /** Resolves when every client has had an answer. */
  readonly busy: Promise<void>;
  /** Resolves when the server has closed all connections and accepts no more. */
  readonly done: Promise<Tally>;
}

/**
 * Clients that send the next request on the same connection as soon as they have a response, some after a pause. After
 * `Connection: close` they open another connection, until that is refused.
 */
export function keptClients(url: string, path: string, count: number): Clients {
  const tally: Tally = { answered: 0, others: 0, lost: 0 };
  const firsts: Promise<void>[] = [];
  const lives = Array.from({ length: count }, async (_, index) => {
    let first = () => {};
    firsts.push(new Promise((resolve) => (first = resolve)));
    // A third asks at once, a third in the next turn of the loop, a third some milliseconds later.
    const pauses = [
      (ask: () => void) => ask(),
      setImmediate,
      (ask: () => void) => setTimeout(ask, index % 20),
    ];
    const pause = pauses[index % 3] ?? setImmediate;
    while (await converse(url, path, tally, pause, first));
  });
  const busy = Promise.all(firsts).then(() => {});
  return { busy, done: Promise.all(lives).then(() => tally) };
}

/** Asks over one connection until it ends. Resolves with whether there was one. */
function converse(
  url: string,
  path: string,
  tally: Tally,
  pause: (ask: () => void) => unknown,
  answered: () => void,
): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = net.connect({ host: hostname, port: Number(port), autoSelectFamily: true });
    let isTaken = false;
    let isWaiting = false;
    let text = '';
    const ask = () => {
      if (socket.destroyed) return;
      isWaiting = true;
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    };
    socket.on('connect', () => {
      isTaken = true;
      ask();
    });
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      const [head = '', body] = text.split('\r\n\r\n');
      if (body === undefined || body.length < Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0))
        return;
      text = '';
      isWaiting = false;
      tally[head.startsWith('HTTP/1.1 200 ') ? 'answered' : 'others'] += 1;
      answered();
      if (!/^connection: close$/im.test(head)) pause(ask);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      if (isWaiting) tally.lost += 1;
      resolve(isTaken);
    });
  });
}

/** Resolves when the server takes no new connections: it has heard that it is to end. */
export async function refused(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  await new Promise<void>((resolve) => {
    const attempts = new Set<net.Socket>();
    const attempt = () => {
      const socket = net.connect({ host: hostname, port: Number(port), autoSelectFamily: true });
      attempts.add(socket);
      socket.once('connect', () => socket.destroy());
      socket.once('close', () => attempts.delete(socket)).once('error', settle);
    };
    const settle = () => {
      clearInterval(timer);
      for (const socket of attempts) socket.destroy();
      resolve();
    };
    // The system may drop a connection attempt during shutdown and retry it a second later.
    const timer = setInterval(attempt, 10);
  });
}
