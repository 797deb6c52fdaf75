import type { SendHandle } from 'node:child_process';
import cluster from 'node:cluster';
import type { Peers } from '../../peers/index.js';
import type { Arrivals, Parcel, Send } from '../../plugins/http/internal.js';
import { exitWith, untilIdle } from '../process-end.js';
import { acknowledgeLostConnections, onUndelivered } from './connections.js';
import {
  isStopMessage,
  isToWorker,
  type Moved,
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

export interface WorkerLink {
  readonly peers: Peers;
  /** Report that this process serves. Calls `stop` to end it: `announce`, `stop`, `finish`, or `retire`, again to not wait for clients. */
  serves(own: Serves, stop: (how: StopMode) => void): void;
  /** Hand a connection over to another worker. */
  readonly move: Send;
  /** Call `take` with each connection that another worker hands over. It returns whether this worker serves the connection. */
  onMove(take: (parcel: Parcel, handle: object, refuse: (reason: string) => void) => boolean): void;
  /** Report the end of the moves; undefined if connections cannot move. */
  reportMoves(result: Moved['result']): void;
  readonly arrivals: Arrivals;
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
  return {
    move: (parcel, handle) =>
      new Promise((resolve) => {
        moveCount += 1;
        const id = `${process.pid}.${moveCount}`;
        moves.set(id, resolve);
        const message: ToPrimary = { fwkit: 'moving', id, parcel };
        process.send?.(message, handle as SendHandle, undefined, (error) => error && endMove(id, false));
      }),
    onMove(take) {
      const refuse = (reason: string) => sendToPrimary({ fwkit: 'refused', reason });
      const answer = (id: string, isTaken: boolean) => sendToPrimary({ fwkit: 'taken', id, isTaken });
      process.on('message', (message, handle: unknown) => {
        if (!isToWorker(message)) return;
        if (message.fwkit === 'taken') endMove(message.id, message.isTaken);
        if (message.fwkit === 'moving')
          answer(message.id, Boolean(handle) && take(message.parcel, handle as object, refuse));
      });
      onUndelivered(process, (message) => {
        if (isToWorker(message) && message.fwkit === 'moving') answer(message.id, false);
      });
    },
    // A Handover cannot be cloned.
    reportMoves: (result) =>
      sendToPrimary({
        fwkit: 'moved',
        result: result && { moved: result.moved, closed: result.closed },
      }),
    arrivals: {
      ended: settings.isSuccessor ? nextMessage('arrivals-ended') : undefined,
    },
    peers: new WorkerPeers(settings, cluster.worker.id),
    serves(own, stop) {
      process.on('message', (message) => {
        if (!isStopMessage(message)) return;
        stop(message.fwkit);
        // The primary waits for `http.drainDelay`.
        if (message.fwkit === 'announce') sendToPrimary({ fwkit: 'announced' });
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
