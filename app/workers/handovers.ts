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

/** In the primary: passes connections from retiring workers to serving ones. Does not read them, and keeps each until it is taken. */
export class Handovers {
  readonly #moves = new Map<string, Move>();
  #count = 0;

  /** `serving` returns the workers that take connections. */
  constructor(private readonly serving: () => readonly Worker[]) {}

  connect(worker: Worker): void {
    worker.on('message', (message: unknown, handle: unknown) => {
      if (!isToPrimary(message)) return;
      if (message.fwkit === 'moving') this.#pass(message, worker, handle as Handle | undefined);
      if (message.fwkit === 'taken') this.#end(message.id, message.isTaken);
    });
    onUndelivered(worker.process, (message) => {
      if (isToPrimary(message) && message.fwkit === 'moving') refuse(message, worker);
    });
    worker.once('exit', () => {
      for (const [id, { to }] of this.#moves) if (to === worker) this.#end(id, false);
    });
  }

  #pass(message: Moving, from: Worker, handle: Handle | undefined): void {
    const serving = this.serving().filter((one) => one !== from && one.isConnected());
    this.#count += 1;
    const to = serving[this.#count % serving.length];
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
