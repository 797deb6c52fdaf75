import { connect } from 'node:net';
import { clearTimeout, setImmediate, setTimeout } from 'node:timers';
import { ResponseReader } from './response-reader.js';

/** A request on its way, in bytes. */
export interface Sending {
  readonly bytes: Buffer;
  readonly hasNoBody: boolean;
  /** Called once with the status of the response, and its head. */
  readonly onAnswer: (status: number, head: string) => void;
}

/** How long an answer is waited for, in milliseconds. */
export const PATIENCE_MS = 3_000;
/** A timer that is later by so much tells of a process that was busy, and nothing of who answers. */
const LATE_MS = 200;
/** How often it is waited on for that reason. */
const MAX_EXTENSIONS = 3;

/** How a connection ended before all was answered. `address` is one that this machine does not have. */
export type Ending = 'closed' | 'silent' | 'address' | 'answered';

export interface Exchanged {
  /** The number of requests whose response has begun. */
  readonly answered: number;
  readonly ending: Ending;
}

/** Send requests over one connection of its own, all at once, and wait for their responses. Never rejects. */
export function exchange(
  port: number,
  sendings: readonly Sending[],
  localAddress: string | undefined,
): Promise<Exchanged> {
  return new Promise((resolve) => {
    let answered = 0;
    let complete = 0;
    let ending: Ending = 'closed';
    let due = 0;
    let extensions = MAX_EXTENSIONS;
    let timer: NodeJS.Timeout | undefined;
    const socket = connect({ port, host: '127.0.0.1', ...(localAddress ? { localAddress } : {}) });
    const end = (how: Ending): void => {
      ending = how;
      socket.destroy();
    };
    const wait = (ms: number): void => {
      clearTimeout(timer);
      due = performance.now() + ms;
      timer = setTimeout(look, ms);
    };
    // What has come is read before it is missed.
    const look = (): void => {
      const isLate = performance.now() - due > LATE_MS;
      if (isLate && extensions-- > 0) return wait(PATIENCE_MS);
      const waitedFor = due;
      setImmediate(() => {
        if (due === waitedFor) end('silent');
      });
    };
    const reader = new ResponseReader({
      onHead(status, head) {
        const sending = sendings[answered];
        answered += 1;
        sending?.onAnswer(status, head);
        wait(PATIENCE_MS);
        return { hasNoBody: sending?.hasNoBody ?? true };
      },
      onEnd() {
        complete += 1;
        if (complete >= sendings.length) end('answered');
      },
      onBroken: () => end('closed'),
    });
    socket.setNoDelay(true);
    socket.once('connect', () => void socket.write(Buffer.concat(sendings.map(({ bytes }) => bytes))));
    socket.on('data', (piece: Buffer) => reader.push(piece));
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'EADDRNOTAVAIL' || code === 'EINVAL') ending = 'address';
    });
    socket.once('close', () => {
      clearTimeout(timer);
      // A body that never ends keeps nobody waiting who has read the head.
      const all = answered >= sendings.length;
      resolve({ answered, ending: all ? 'answered' : ending });
    });
    wait(PATIENCE_MS);
  });
}
