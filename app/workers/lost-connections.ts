import type { EventEmitter } from 'node:events';
import { isPassed, type Passed } from './passed-connection.js';

/** A message that is sent with a connection, as it is read where that has not come. */
interface Wrapped {
  readonly cmd: 'NODE_HANDLE';
  readonly msg: Passed;
}

const isWrapped = (message: unknown): message is Wrapped => {
  const { cmd, msg } = message as Partial<Wrapped>;
  return cmd === 'NODE_HANDLE' && isPassed(msg);
};

/**
 * Answers for connections that do not reach this process, since it has no file descriptor left for them. Node does not: its
 * primary passes no connection to a worker that owes it an answer, so one that ran out of descriptors once never got another
 * (https://github.com/nodejs/node, lib/internal/cluster/round_robin_handle.js, up to Node 26). Such a connection is closed, as
 * libuv does it in a process alone. `lost` is called for each.
 */
export function answerForLostConnections(lost: () => void): void {
  const emitter: EventEmitter = process;
  emitter.on('internalMessage', (message: unknown, handle: unknown) => {
    if (handle || !isWrapped(message)) return;
    process.send?.({ cmd: 'NODE_CLUSTER', ack: message.msg.seq, accepted: true });
    lost();
  });
}
