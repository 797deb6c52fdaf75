import * as assert from 'uvu/assert';
import { connectSocket, type Peer } from '../harness/socket.js';
import { reload, type Team } from '../harness/workers.js';

/** A socket in a room, whose first message is the pid of its process; `pid` asks for a certain process. */
export async function joined({ url }: Pick<Team, 'url'>, room: string, pid?: string): Promise<Peer> {
  for (;;) {
    const peer = await connectSocket(url, `/ws/rooms/${room}`);
    const own = await peer.next();
    if (pid === undefined || own === pid) return peer;
    peer.close();
  }
}

/**
 * Replaces the workers of `a` four times while a client of `b` sends 400 messages a second: clients connected before or
 * after miss no message in between and receive none twice.
 */
export async function fourHups(a: Team, b: Pick<Team, 'url'>): Promise<void> {
  const teller = await joined(b, 'hup');
  let n = 0;
  const telling = setInterval(() => teller.send(String(n++)), 2.5);
  try {
    for (let round = 0; round < 4; round += 1) {
      const old = await joined(a, 'hup');
      const closed = old.closed;
      await reload(a);
      const fresh = await joined(a, 'hup');
      await closed;
      const end = n + 20;
      for (let next = Number(await fresh.next()); next < end; next += 1)
        assert.is(Number(await fresh.next()), next + 1);
      const left = await rest(old);
      assert.equal(
        left,
        left.map((_, at) => (left[0] ?? 0) + at),
      );
      assert.ok(left.length > 20, String(left.length));
      fresh.close();
    }
  } finally {
    clearInterval(telling);
    teller.close();
  }
}

/** The number of messages before the connection was closed. */
async function rest(peer: Peer): Promise<number[]> {
  const all: number[] = [];
  for (;;) {
    const message = await peer.next().catch(() => undefined);
    if (message === undefined) return all;
    all.push(Number(message));
  }
}
