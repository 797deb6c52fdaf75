import type { SendHandle } from 'node:child_process';
import type { Worker } from 'node:cluster';
import { onUndelivered } from './connections.js';
import { isToPrimary, type Moving } from './messages.js';
import { sendToWorker } from './peers.js';

interface Handle {
  close(): void;
}

interface Move {
  readonly from: Worker;
  readonly to: Worker;
  readonly handle: Handle;
}

/** In the primary: passes connections from retiring workers to their successors. Does not read them, and keeps each until it is taken. */
export class Handovers {
  readonly #moves = new Map<string, Move>();
  #count = 0;
  /** The number of connections that successors have closed, by reason, since the last call of `takeRefusals`. */
  #refusals: [reason: string, count: number][] = [];

  /** `successorsOf` returns the workers that take the connections of a worker. */
  constructor(private readonly successorsOf: (worker: Worker) => readonly Worker[]) {}

  connect(worker: Worker): void {
    worker.on('message', (message: unknown, handle: unknown) => {
      if (!isToPrimary(message)) return;
      if (message.fwkit === 'moving') this.#pass(message, worker, handle as Handle | undefined);
      if (message.fwkit === 'taken') this.#end(message.id, message.isTaken);
      if (message.fwkit === 'refused') this.#refusals.push([message.reason, 1]);
    });
    onUndelivered(worker.process, (message) => {
      if (isToPrimary(message) && message.fwkit === 'moving') refuse(message, worker);
    });
    worker.once('exit', () => {
      for (const [id, { to }] of this.#moves) if (to === worker) this.#end(id, false);
    });
  }

  takeRefusals(): readonly (readonly [reason: string, count: number])[] {
    return this.#refusals.splice(0);
  }

  #pass(message: Moving, from: Worker, handle: Handle | undefined): void {
    const successors = this.successorsOf(from);
    this.#count += 1;
    const to = successors[this.#count % successors.length];
    if (!handle || !to) {
      handle?.close();
      return refuse(message, from);
    }
    this.#moves.set(message.id, { from, to, handle });
    to.process.send(
      message,
      handle as SendHandle,
      undefined,
      (error) => error && this.#end(message.id, false),
    );
  }

  #end(id: string, isTaken: boolean): void {
    const move = this.#moves.get(id);
    if (!move) return;
    this.#moves.delete(id);
    move.handle.close();
    sendToWorker(move.from, { fwkit: 'taken', id, isTaken });
  }
}

const refuse = ({ id }: Moving, from: Worker): void =>
  sendToWorker(from, { fwkit: 'taken', id, isTaken: false });
