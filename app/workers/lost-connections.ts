import type { EventEmitter } from 'node:events';

/** What Node's primary sends with a connection, and the number under which it awaits whether that was taken. */
interface Passed {
  readonly cmd: 'NODE_HANDLE';
  readonly msg: { readonly cmd: 'NODE_CLUSTER'; readonly act: 'newconn'; readonly seq: number };
}

const isPassed = (message: unknown): message is Passed => {
  const { cmd, msg } = message as Partial<Passed>;
  return cmd === 'NODE_HANDLE' && msg?.cmd === 'NODE_CLUSTER' && msg.act === 'newconn';
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
    if (handle || !isPassed(message)) return;
    process.send?.({ cmd: 'NODE_CLUSTER', ack: message.msg.seq, accepted: true });
    lost();
  });
}
