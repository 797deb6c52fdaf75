import cluster from 'node:cluster';
import type { Peers } from '../../kernel/index.js';
import { type Dismissed, isDismissed, isToWorker, WORKER_SETTINGS, type WorkerSettings } from './messages.js';
import { say, WorkerPeers } from './peers.js';

/** What this process has to do as a worker. */
export interface WorkerLink {
  readonly peers: Peers;
  /** Say that this process serves. `dismiss` is called when it has to end, and may be again: `retire`, then `stop`. */
  serves(urls: readonly string[], dismiss: (how: Dismissed) => void): void;
  /** Resolves when what the primary had sent has come, and what it sends once it has heard of that: a connection. */
  heard(): Promise<void>;
  /** Say that it accepts no more connections, after `stop`. */
  refuses(): void;
  /** End the process, which does not serve and has told people why. */
  fail(): void;
  /** End the process, when all that it has said is on its way. */
  leave(status: number): Promise<void>;
}

/** What this process is told to be by a primary; undefined where it is not a worker of one. */
export function workerLink(): WorkerLink | undefined {
  const text = process.env[WORKER_SETTINGS];
  // Processes that this one starts are none.
  delete process.env[WORKER_SETTINGS];
  if (text === undefined || !cluster.worker) return undefined;
  const { count, secret }: WorkerSettings = JSON.parse(text);
  // A terminal tells all processes of a group; the primary says what follows from it.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  const heard = () =>
    new Promise<void>((resolve) => {
      const hear = (message: unknown): void => {
        if (!isToWorker(message) || message.fwkit !== 'left') return;
        process.off('message', hear);
        resolve();
      };
      process.on('message', hear);
      say({ fwkit: 'leaving' });
    });
  const leave = async (status: number): Promise<void> => {
    // Connections that the primary has sent meanwhile go back to it, for another worker.
    await heard();
    say({ fwkit: 'leaving' }, () => process.exit(status));
  };
  return {
    peers: new WorkerPeers(cluster.worker.id, count, secret),
    serves(urls, dismiss) {
      process.on('message', (message) => {
        if (isDismissed(message)) dismiss(message.fwkit);
      });
      // Meant for this one alone. Another one takes its place first; who asks again does not want to wait for that.
      process.once('SIGTERM', () => {
        process.on('SIGTERM', () => dismiss('retire'));
        say({ fwkit: 'resigning' });
      });
      say({ fwkit: 'ready', urls });
    },
    refuses() {
      say({ fwkit: 'refusing' });
    },
    fail() {
      say({ fwkit: 'told' });
      void leave(1);
    },
    heard,
    leave,
  };
}
