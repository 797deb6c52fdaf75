import type { SendHandle } from 'node:child_process';
import cluster from 'node:cluster';
import type { Peers } from '../../peers/index.js';
import type { Moves, Parcel } from '../../plugins/http/internal.js';
import { exitWith, untilIdle } from '../process-end.js';
import { acknowledgeLostConnections, onUndelivered } from './connections.js';
import {
  isStopMessage,
  isToWorker,
  type Serves,
  type StopMode,
  type ToPrimary,
  type ToWorker,
  WORKER_SETTINGS,
  type WorkerSettings,
} from './messages.js';
import { sendToPrimary, WorkerPeers } from './peers.js';

/** The shortest interval between two reports of lost connections, in milliseconds. */
const DROPPING_INTERVAL_MS = 60_000;

/** What the primary makes a worker do. */
interface WorkerCalls {
  /** End it: `announce`, `stop`, `finish`, or `retire`, again to not wait for clients. */
  stop(how: StopMode): void;
  /** Serve a connection that another worker hands over. Returns whether this worker serves it. */
  take(parcel: Parcel, handle: object): boolean;
}

export interface WorkerLink {
  readonly peers: Peers;
  readonly moves: Moves;
  /** Report that this process serves. */
  serves(own: Serves, calls: WorkerCalls): void;
  /** Resolves when all messages that the primary had sent have arrived, and the connections that it sends in reply. */
  messagesArrived(): Promise<void>;
  refuses(): void;
  /** Report that this process is about to end because it has crashed, so that another worker replaces it at once. */
  crashes(): void;
  fail(): void;
  leave(status: number): Promise<void>;
}

export function workerLink(): WorkerLink | undefined {
  const text = process.env[WORKER_SETTINGS];
  // Child processes of this process are not workers.
  delete process.env[WORKER_SETTINGS];
  if (text === undefined || !cluster.worker) return undefined;
  const settings: WorkerSettings = JSON.parse(text);
  // A terminal signals all processes of a group; the primary decides how to react.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  let reportedAt = Number.NEGATIVE_INFINITY;
  acknowledgeLostConnections(() => {
    if (performance.now() - reportedAt < DROPPING_INTERVAL_MS) return;
    reportedAt = performance.now();
    sendToPrimary({ fwkit: 'dropping' });
  });
  const nextMessage = (kind: ToWorker['fwkit']) =>
    new Promise<void>((resolve) => {
      const listener = (message: unknown): void => {
        if (!isToWorker(message) || message.fwkit !== kind) return;
        process.off('message', listener);
        resolve();
      };
      process.on('message', listener);
    });
  const messagesArrived = () => {
    const left = nextMessage('left');
    sendToPrimary({ fwkit: 'leaving' });
    return left;
  };
  const leave = async (status: number): Promise<void> => {
    // Connections that the primary has sent meanwhile go back to it, for another worker.
    await untilIdle();
    await messagesArrived();
    sendToPrimary({ fwkit: 'leaving' }, () => exitWith(status));
  };
  const moves = new Map<string, (isTaken: boolean) => void>();
  const endMove = (id: string, isTaken: boolean): void => {
    moves.get(id)?.(isTaken);
    moves.delete(id);
  };
  let moveCount = 0;
  const answerMove = (id: string, isTaken: boolean) => sendToPrimary({ fwkit: 'taken', id, isTaken });
  return {
    moves: {
      ended: settings.isSuccessor ? nextMessage('arrivals-ended') : Promise.resolve(),
      send: (parcel, handle) =>
        new Promise((resolve) => {
          moveCount += 1;
          const id = `${process.pid}.${moveCount}`;
          moves.set(id, resolve);
          const message: ToPrimary = { fwkit: 'moving', id, parcel };
          process.send?.(message, handle as SendHandle, undefined, (error) => error && endMove(id, false));
        }),
      reportImpossible: () => sendToPrimary({ fwkit: 'immovable' }),
      reportClosed: (reason, hasMoved) => sendToPrimary({ fwkit: 'closed', reason, hasMoved }),
    },
    peers: new WorkerPeers(settings, cluster.worker.id),
    serves(own, { stop, take }) {
      process.on('message', (message, handle: unknown) => {
        if (!isToWorker(message)) return;
        if (message.fwkit === 'taken') endMove(message.id, message.isTaken);
        if (message.fwkit === 'moving')
          answerMove(message.id, Boolean(handle) && take(message.parcel, handle as object));
        if (isStopMessage(message)) stop(message.fwkit);
        // The primary waits for `http.drainDelay`.
        if (message.fwkit === 'announce') sendToPrimary({ fwkit: 'announced' });
      });
      onUndelivered(process, (message) => {
        if (isToWorker(message) && message.fwkit === 'moving') answerMove(message.id, false);
      });
      // The signal is for this worker alone, whose successor starts first. A second signal does not wait for that.
      process.once('SIGTERM', () => {
        process.on('SIGTERM', () => stop('retire'));
        sendToPrimary({ fwkit: 'resigning' });
      });
      sendToPrimary({ fwkit: 'ready', ...own });
    },
    crashes() {
      sendToPrimary({ fwkit: 'crashing' });
    },
    refuses() {
      sendToPrimary({ fwkit: 'refusing' });
    },
    fail() {
      sendToPrimary({ fwkit: 'reported' });
      void leave(1);
    },
    messagesArrived,
    leave,
  };
}
