import type { Worker } from 'node:cluster';
import { Memory } from '../memory.js';
import { type Asked, isToPrimary, type Sent, type ToWorker } from './messages.js';

interface Waiting {
  readonly worker: Worker;
  readonly call: number;
}

/** In the primary: passes messages between workers, and holds their shared memory and locks. It outlives each worker. */
export class Relay {
  readonly #workers = new Set<Worker>();
  readonly #memories = new Map<string, Memory>();
  /** By the name of a lock: its holder, then those that wait for it. */
  readonly #locks = new Map<string, Waiting[]>();
  connect(worker: Worker): void {
    this.#workers.add(worker);
    worker.on('message', (message) => {
      if (!isToPrimary(message)) return;
      if (message.fwkit === 'sent') this.#pass(message, worker);
      if (message.fwkit === 'asked') this.#answer(message, worker);
      if (message.fwkit === 'leaving') sendToWorker(worker, { fwkit: 'left' });
      if (message.fwkit === 'released') this.#end(message.name, { worker, call: message.call });
    });
    worker.once('exit', () => {
      this.#workers.delete(worker);
      for (const [name, queue] of [...this.#locks])
        for (const waiting of queue.filter((one) => one.worker === worker)) this.#end(name, waiting);
    });
  }

  #pass(message: Sent, from: Worker): void {
    for (const worker of this.#workers) if (worker !== from) sendToWorker(worker, message);
  }

  #answer(asked: Asked, worker: Worker): void {
    const { call, name, act, key = '', text = '', maxAge = 0 } = asked;
    if (act === 'lock') return this.#queue(name, { worker, call });
    const memory = this.#memories.get(name) ?? new Memory();
    this.#memories.set(name, memory);
    if (act === 'set') memory.set(key, text, maxAge);
    if (act === 'delete') memory.delete(key);
    sendToWorker(worker, { fwkit: 'answer', call, text: act === 'get' ? memory.get(key) : undefined });
  }

  #queue(name: string, waiting: Waiting): void {
    const queue = this.#locks.get(name);
    if (queue) return void queue.push(waiting);
    this.#locks.set(name, [waiting]);
    grant(waiting);
  }

  #end(name: string, { worker, call }: Waiting): void {
    const queue = this.#locks.get(name) ?? [];
    const index = queue.findIndex((one) => one.worker === worker && one.call === call);
    if (index === -1) return;
    queue.splice(index, 1);
    const [next] = queue;
    if (!next) this.#locks.delete(name);
    else if (index === 0) grant(next);
  }
}

const grant = ({ worker, call }: Waiting): void =>
  sendToWorker(worker, { fwkit: 'answer', call, text: undefined });

/** A worker that is on its way out gets nothing: the callback takes the error. */
export const sendToWorker = (worker: Worker, message: ToWorker): void =>
  void worker.process.send(message, undefined, undefined, () => {});
