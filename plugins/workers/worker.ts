import cluster from 'node:cluster';
import type { Peers } from '../../kernel/index.js';
import { ENLISTMENT, type Enlistment, isToWorker } from './messages.js';
import { say, WorkerPeers } from './peers.js';

/** What this process has to do as a worker. */
export interface Post {
  readonly peers: Peers;
  /** Say that this process serves. `dismiss` is called when it has to end, and may be again: `retire`, then `stop`. */
  serves(urls: readonly string[], dismiss: (how: 'retire' | 'stop') => void): void;
  /** End the process, when all that it has said is on its way. */
  leave(status: number): void;
}

/** What this process is told to be by a primary; undefined where it is not a worker of one. */
export function post(): Post | undefined {
  const text = process.env[ENLISTMENT];
  // Processes that this one starts are none.
  delete process.env[ENLISTMENT];
  if (text === undefined || !cluster.worker) return undefined;
  const { count, secret }: Enlistment = JSON.parse(text);
  // A terminal tells all processes of a group; the primary says what follows from it.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  return {
    peers: new WorkerPeers(cluster.worker.id, count, secret),
    serves(urls, dismiss) {
      process.on('message', (message) => {
        if (isToWorker(message) && (message.fwkit === 'retire' || message.fwkit === 'stop'))
          dismiss(message.fwkit);
      });
      // Meant for this one alone: another one takes its place.
      process.on('SIGTERM', () => dismiss('retire'));
      say({ fwkit: 'ready', urls });
    },
    leave(status) {
      // Connections that the primary has sent meanwhile go back to it, for another worker.
      process.on('message', (message) => {
        if (isToWorker(message) && message.fwkit === 'left')
          say({ fwkit: 'leaving' }, () => process.exit(status));
      });
      say({ fwkit: 'leaving' });
    },
  };
}
