import type { SendHandle } from 'node:child_process';
import type { Worker } from 'node:cluster';
import { onUndelivered } from './connections.js';
import { isToPrimary, type Moving } from './messages.js';
import { sendToWorker } from './peers.js';

interface Handle {
  close(): void;
}

interface Move {
  readonly kind: string | undefined;
  readonly from: Worker;
  readonly to: Worker;
  readonly handle: Handle;
}

/** In the primary: passes connections from retiring workers to their successors. Does not read them, and keeps each until it is taken. */
export class Handovers {
  readonly #moves = new Map<string, Move>();
  #count = 0;
  /** The number of connections that have moved since the last report, by kind. */
  readonly #moved = new Map<string, number>();
  #movedAt = 0;
  /** The number of WebSockets that were closed since the last report, by reason. */
  readonly #closed = new Map<string, number>();

  /** `successorsOf` returns the workers that take the connections of a worker. */
  constructor(private readonly successorsOf: (worker: Worker) => readonly Worker[]) {}

  connect(worker: Worker): void {
    worker.on('message', (message: unknown, handle: unknown) => {
      if (!isToPrimary(message)) return;
      if (message.fwkit === 'moving') this.#pass(message, worker, handle as Handle | undefined);
      if (message.fwkit === 'taken') this.#end(message.id, message.isTaken);
      if (message.fwkit !== 'closed') return;
      add(this.#closed, message.reason, 1);
      if (message.hasMoved) add(this.#moved, 'WebSocket', -1);
    });
    onUndelivered(worker.process, (message) => {
      if (isToPrimary(message) && message.fwkit === 'moving') refuse(message, worker);
    });
    worker.once('exit', () => {
      for (const [id, { to }] of this.#moves) if (to === worker) this.#end(id, false);
    });
  }

  /**
   * Describe what has happened since the last call: `Handed over 1,998 WebSockets and 310 idle connections in 1.9 s. Closed 10
   * WebSockets: 10 without state.` Returns '' if nothing has. `begunAt`: when the moves began, by `performance.now()`.
   */
  takeReport(begunAt: number): string {
    // Sorted, because connections move in any order.
    const kinds = [...this.#moved].filter(([, count]) => count > 0).sort();
    const moved = kinds.map(([kind, count]) => counted(count, kind));
    const reasons = [...this.#closed].map(([reason, count]) => `${count.toLocaleString('en')} ${reason}`);
    const closed = [...this.#closed.values()].reduce((all, count) => all + count, 0);
    this.#moved.clear();
    this.#closed.clear();
    const parts = [];
    if (moved.length > 0) {
      const seconds = ((this.#movedAt - begunAt) / 1_000).toFixed(1);
      parts.push(`Handed over ${new Intl.ListFormat('en-GB').format(moved)} in ${seconds} s.`);
    }
    if (closed > 0) parts.push(`Closed ${counted(closed, 'WebSocket')}: ${reasons.join(', ')}.`);
    return parts.join(' ');
  }

  #pass(message: Moving, from: Worker, handle: Handle | undefined): void {
    const successors = this.successorsOf(from);
    this.#count += 1;
    const to = successors[this.#count % successors.length];
    if (!handle || !to) {
      handle?.close();
      return refuse(message, from);
    }
    const { id, parcel } = message;
    this.#moves.set(id, { kind: parcel.kind, from, to, handle });
    to.process.send(message, handle as SendHandle, undefined, (error) => error && this.#end(id, false));
  }

  #end(id: string, isTaken: boolean): void {
    const move = this.#moves.get(id);
    if (!move) return;
    this.#moves.delete(id);
    move.handle.close();
    sendToWorker(move.from, { fwkit: 'taken', id, isTaken });
    // A trial has no kind.
    if (!isTaken || !move.kind) return;
    add(this.#moved, move.kind, 1);
    this.#movedAt = performance.now();
  }
}

const add = (counts: Map<string, number>, name: string, more: number): unknown =>
  counts.set(name, (counts.get(name) ?? 0) + more);

const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

const refuse = ({ id }: Moving, from: Worker): void =>
  sendToWorker(from, { fwkit: 'taken', id, isTaken: false });
