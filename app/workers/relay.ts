import type { Worker } from 'node:cluster';
import { codeOf, messageOf } from '../../kernel/internal.js';
import { LocalLocks, LocalMemories, LocalRoster } from '../../peers/index.js';
import { type Asked, isToPrimary, type Sent, type ToWorker } from './messages.js';

/** What a worker has of the primary, and gives back when it ends. */
interface Holdings {
  /** How each lock that it holds or waits for is given back, by its call. */
  readonly locks: Map<number, () => void>;
  readonly rosters: Map<string, LocalRoster>;
}

/** In the primary: passes messages between workers, and holds their shared memory and locks. It outlives each worker. */
export class Relay {
  readonly #workers = new Map<Worker, Holdings>();
  readonly #memories = new LocalMemories();
  readonly #locks = new LocalLocks();

  connect(worker: Worker): void {
    const holdings: Holdings = { locks: new Map(), rosters: new Map() };
    this.#workers.set(worker, holdings);
    worker.on('message', (message) => {
      if (!isToPrimary(message)) return;
      if (message.fwkit === 'sent') this.#pass(message, worker);
      if (message.fwkit === 'asked') this.#attempt(message, worker, holdings);
      if (message.fwkit === 'leaving') sendToWorker(worker, { fwkit: 'left' });
      if (message.fwkit === 'released') release(holdings, message.call);
      if (message.fwkit === 'shares') rosterOf(holdings, message.name).set(message.shares);
    });
    worker.once('exit', () => {
      this.#workers.delete(worker);
      for (const call of [...holdings.locks.keys()]) release(holdings, call);
    });
  }

  #pass(message: Sent, from: Worker): void {
    for (const worker of this.#workers.keys()) if (worker !== from) sendToWorker(worker, message);
  }

  /** What a project asks for wrongly is its own failure: all workers end with this process. */
  #attempt(asked: Asked, worker: Worker, holdings: Holdings): void {
    try {
      this.#answer(asked, worker, holdings);
    } catch (thrown) {
      const wrong = { message: messageOf(thrown), code: codeOf(thrown) };
      sendToWorker(worker, { fwkit: 'answer', call: asked.call, value: undefined, wrong });
    }
  }

  #answer({ call, act }: Asked, worker: Worker, holdings: Holdings): void {
    const answer = (value: unknown): void => sendToWorker(worker, { fwkit: 'answer', call, value });
    if (act.do === 'sum') return answer(this.#sum(act.name, act.key));
    if (act.do === 'lock') {
      const { granted, end } = this.#locks.claim(act.name, act.wait);
      // A worker that has ended meanwhile gives back nothing any more.
      if (!this.#workers.has(worker)) return end();
      holdings.locks.set(call, end);
      return void granted.then((token) => {
        if (token === undefined) holdings.locks.delete(call);
        answer(token);
      });
    }
    const memory = this.#memories.of(act.name, 'options' in act ? act.options : undefined);
    if (act.do === 'get') answer(memory.get(act.key));
    if (act.do === 'put') answer(memory.put(act.key, act.fields, act.maxAge, act.only));
    if (act.do === 'take') answer(memory.take(act.key));
    if (act.do === 'add') answer(memory.add(act.key, act.amount, act.maxAge));
  }

  #sum(name: string, key: string): number {
    let sum = 0;
    for (const { rosters } of this.#workers.values()) sum += rosters.get(name)?.sum(key) ?? 0;
    return sum;
  }
}

function release({ locks }: Holdings, call: number): void {
  locks.get(call)?.();
  locks.delete(call);
}

function rosterOf({ rosters }: Holdings, name: string): LocalRoster {
  const roster = rosters.get(name) ?? new LocalRoster();
  rosters.set(name, roster);
  return roster;
}

/** A worker that is on its way out gets nothing: the callback takes the error. */
export const sendToWorker = (worker: Worker, message: ToWorker): void =>
  void worker.process.send(message, undefined, undefined, () => {});
