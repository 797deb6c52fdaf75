import type { Worker } from 'node:cluster';
import { coded, codeOf, messageOf } from '../../kernel/index.js';

import {
  ALIVE,
  checkHead,
  checkMemoryOptions,
  derive,
  givenSecret,
  type Json,
  LocalLocks,
  LocalMemories,
  type Lock,
  type MemoryOptions,
  type Peers,
  type Receive,
  type Roster,
  Rosters,
  type SharedMemory,
  Topics,
  timeoutOf,
  Unavailable,
  waitOf,
  whileHeld,
} from '../../peers/index.js';
import {
  type CallRequest,
  isToPrimary,
  isToWorker,
  type Operation,
  type Sent,
  type SerializedError,
  type ToPrimary,
  type ToWorker,
  type WorkerSettings,
} from './messages.js';

const TIMEOUT_MS = 1_000;

interface Call {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** The other processes, as a worker sees them: all messages go through the primary. */
export class WorkerPeers implements Peers {
  readonly id: string;
  readonly machine: string;
  readonly count: number;
  readonly span = 'machine';
  readonly #secret: string;
  readonly #topics = new Topics();
  readonly #rosters: Rosters;
  readonly #calls = new Map<number, Call>();
  #call = 0;
  /** Set after the primary did not answer in time: calls fail immediately until it answers again. */
  #isAway = false;

  /** `worker`: the number of this worker among all workers that the primary has started. */
  constructor({ machine, count, secret }: WorkerSettings, worker: number) {
    this.id = idOf(machine, worker);
    this.machine = machine;
    this.count = count;
    this.#secret = secret;
    this.#rosters = new Rosters(this.id, (name) => this.memory(name));
    process.on('message', (message) => this.#receive(message));
  }

  secret(purpose: string): string {
    // A value from an .env file is only known to workers, which read the file.
    return derive(givenSecret() ?? this.#secret, purpose);
  }

  send(topic: string, head: unknown, body: string | Uint8Array = ''): void {
    checkHead(head);
    sendToPrimary({ fwkit: 'sent', topic, head, body });
  }

  on<Head = Json>(topic: string, receive: Receive<Head>): () => void {
    return this.#topics.on(topic, receive);
  }

  memory(name: string, options?: MemoryOptions): SharedMemory {
    checkMemoryOptions(options);
    const call =
      (method: keyof SharedMemory) =>
      (...args: readonly unknown[]) =>
        this.#ask({ on: 'memory', name, options, method, args }) as Promise<never>;
    return { get: call('get'), put: call('put'), take: call('take'), add: call('add') };
  }

  readonly lock: Lock = async (name, work, options) => {
    const wait = waitOf(name, options);
    const granted = this.#ask({ on: 'lock', name, wait }, timeoutOf(wait + TIMEOUT_MS)) as Promise<
      number | undefined
    >;
    const call = this.#call;
    const end = (): void => sendToPrimary({ fwkit: 'released', call });
    // It may be granted after the caller has stopped waiting.
    granted.catch(end);
    return whileHeld(name, { granted, end }, work);
  };

  roster(name: string): Roster {
    return this.#rosters.of(name);
  }

  #ask(operation: Operation, timeout = TIMEOUT_MS): Promise<unknown> {
    this.#call += 1;
    const call = this.#call;
    if (this.#isAway) return Promise.reject(primaryUnavailable());
    return new Promise((resolve, reject) => {
      // First, because it throws for values that cannot be cloned.
      sendToPrimary({ fwkit: 'request', call, operation });
      // Messages that arrived while this process was busy are read first.
      const timer = setTimeout(() => setImmediate(() => this.#giveUp(call)), timeout);
      this.#calls.set(call, { resolve, reject, timer });
    });
  }

  #giveUp(call: number): void {
    const waiting = this.#calls.get(call);
    if (!waiting) return;
    this.#calls.delete(call);
    this.#isAway = true;
    waiting.reject(primaryUnavailable());
  }

  #receive(message: unknown): void {
    if (!isToWorker(message)) return;
    this.#isAway = false;
    if (message.fwkit === 'sent') this.#topics.deliver(message.topic, message.head, message.body);
    if (message.fwkit !== 'answer') return;
    const call = this.#calls.get(message.call);
    this.#calls.delete(message.call);
    clearTimeout(call?.timer);
    if (message.wrong === undefined) call?.resolve(message.value);
    else call?.reject(toError(message.wrong));
  }
}

const toError = ({ message, code }: SerializedError): TypeError => {
  const error = new TypeError(message);
  return code === undefined ? error : coded(code, error);
};

const primaryUnavailable = (): Unavailable =>
  new Unavailable(`no answer within ${TIMEOUT_MS} ms from the process that starts the workers`);

/** Send to the primary, in order. Throws for values that cannot be cloned. */
export function sendToPrimary(message: ToPrimary, written: () => void = () => {}): void {
  // If the primary is gone, Node ends this process.
  process.send?.(message, undefined, undefined, written);
}

type Locks = Map<number, () => void>;

const idOf = (machine: string, worker: number): string => `${machine}.${worker}`;

/** In the primary: passes messages between workers, and holds their shared memory and locks, so that they outlive each worker. */
export class Relay {
  readonly #workers = new Map<Worker, Locks>();
  readonly #memories = new LocalMemories();
  readonly #locks = new LocalLocks();

  constructor(private readonly machine: string) {}

  connect(worker: Worker): void {
    const locks: Locks = new Map();
    this.#workers.set(worker, locks);
    worker.on('message', (message) => {
      if (!isToPrimary(message)) return;
      if (message.fwkit === 'sent') this.#pass(message, worker);
      if (message.fwkit === 'request') this.#attempt(message, worker, locks);
      if (message.fwkit === 'leaving') sendToWorker(worker, { fwkit: 'left' });
      if (message.fwkit === 'released') release(locks, message.call);
    });
    worker.once('exit', () => {
      this.#workers.delete(worker);
      for (const call of [...locks.keys()]) release(locks, call);
      // A killed worker could not remove its entries from rosters.
      this.#memories.of(ALIVE).take(idOf(this.machine, worker.id));
    });
  }

  #pass(message: Sent, from: Worker): void {
    for (const worker of this.#workers.keys()) if (worker !== from) sendToWorker(worker, message);
  }

  /** Invalid calls must only fail in the calling project: if this process crashes, all workers end. */
  #attempt(request: CallRequest, worker: Worker, locks: Locks): void {
    try {
      this.#answer(request, worker, locks);
    } catch (thrown) {
      const wrong = { message: messageOf(thrown), code: codeOf(thrown) };
      sendToWorker(worker, { fwkit: 'answer', call: request.call, value: undefined, wrong });
    }
  }

  #answer({ call, operation }: CallRequest, worker: Worker, locks: Locks): void {
    const answer = (value: unknown): void => sendToWorker(worker, { fwkit: 'answer', call, value });
    if (operation.on === 'lock') {
      const { granted, end } = this.#locks.claim(operation.name, operation.wait);
      // A worker that has ended meanwhile releases nothing anymore.
      if (!this.#workers.has(worker)) return end();
      locks.set(call, end);
      return void granted.then((token) => {
        if (token === undefined) locks.delete(call);
        answer(token);
      });
    }
    const memory = this.#memories.of(operation.name, operation.options);
    answer(Reflect.apply(memory[operation.method], memory, operation.args));
  }
}

function release(locks: Locks, call: number): void {
  locks.get(call)?.();
  locks.delete(call);
}

/** A worker that is exiting gets no message: the callback receives the error. */
export const sendToWorker = (worker: Worker, message: ToWorker): void =>
  void worker.process.send(message, undefined, undefined, () => {});
