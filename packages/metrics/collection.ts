import { isObject, type Json, type Peers } from 'fwkit/plugin';
import { AggregatorRegistry } from 'prom-client';
import type { AppMetrics, Snapshot } from './app-metrics.js';

/** How long to wait for the answers of workers, in milliseconds. Prometheus itself waits for ten seconds. */
const ANSWER_TIMEOUT_MS = 1_000;
/** How long the counters of ended workers are kept, in seconds. */
const RETENTION_SECONDS = 31_536_000;
/** The number of workers without an answer whose counters are kept separately: a slow worker may answer again. */
const MAX_RETAINED_WORKERS = 8;
const ENDED = 'ended.0';
const TOPICS = { ask: 'metrics.ask', answer: 'metrics.answer' };

/** The last known counters of each worker by id, and the sums of workers that ended longer ago. */
type WorkerCounters = Record<string, Snapshot>;

/** The metrics of all processes that serve the app. Counters never decrease: the last counts of a worker remain after it has ended. */
export class Collection {
  readonly #forget: (() => void)[] = [];
  #questions = 0;
  #receive: (answer: Answer) => void = () => {};

  constructor(
    private readonly app: AppMetrics,
    private readonly peers: Peers,
  ) {
    if (peers.count === 1) return;
    const answer = async (question: Json): Promise<void> =>
      peers.send(TOPICS.answer, { question, worker: peers.id }, JSON.stringify(await app.snapshot()));
    this.#forget.push(
      peers.on(TOPICS.ask, (question) => void answer(question).catch(() => {})),
      peers.on(TOPICS.answer, (head, body) => {
        if (isAnswer(head)) this.#receive({ ...head, snapshot: JSON.parse(String(body)) });
      }),
    );
  }

  async text(): Promise<string> {
    if (this.peers.count === 1) return this.app.text();
    return this.#update(async (counters) => {
      const live = await this.#ask();
      const ended = Object.entries(counters).filter(([worker]) => !live.has(worker));
      for (const [worker, snapshot] of live) counters[worker] = countersOf(snapshot);
      await merge(counters, ended);
      const all = [...live.values(), ...ended.map(([, snapshot]) => snapshot)];
      return `${await AggregatorRegistry.aggregate(all).metrics()}\n`;
    });
  }

  async close(): Promise<void> {
    for (const forget of this.#forget) forget();
    if (this.peers.count === 1) return;
    await this.#update(async (counters) => {
      counters[this.peers.id] = countersOf(await this.app.snapshot());
    });
  }

  #update<T>(change: (counters: WorkerCounters) => Promise<T>): Promise<T> {
    const memory = this.peers.memory('metrics');
    return this.peers.lock('metrics', async () => {
      const counters = JSON.parse((await memory.get('counters'))?.fields.counters ?? '{}') as WorkerCounters;
      const changed = await change(counters);
      await memory.put('counters', { counters: JSON.stringify(counters) }, RETENTION_SECONDS);
      return changed;
    });
  }

  async #ask(): Promise<Map<string, Snapshot>> {
    this.#questions += 1;
    const question = `${this.peers.id} ${this.#questions}`;
    const live = new Map<string, Snapshot>();
    const answered = new Promise<void>((resolve) => {
      const limit = setTimeout(resolve, ANSWER_TIMEOUT_MS);
      this.#receive = (answer) => {
        if (answer.question !== question) return;
        live.set(answer.worker, answer.snapshot);
        if (live.size < this.peers.count) return;
        clearTimeout(limit);
        resolve();
      };
    });
    this.peers.send(TOPICS.ask, question);
    this.#receive({ question, worker: this.peers.id, snapshot: await this.app.snapshot() });
    await answered;
    return live;
  }
}

interface Answer {
  readonly question: string;
  readonly worker: string;
  readonly snapshot: Snapshot;
}

const isAnswer = (head: unknown): head is Omit<Answer, 'snapshot'> =>
  isObject(head) && 'question' in head && 'worker' in head;

/** The metrics that only increase. A gauge ends with its process. */
const countersOf = (snapshot: Snapshot): Snapshot =>
  snapshot.filter(({ type }) => ['counter', 'histogram', 'summary'].includes(String(type)));

/** Merge the counters of the two oldest ended workers if there are too many. */
async function merge(
  counters: WorkerCounters,
  ended: readonly (readonly [string, Snapshot])[],
): Promise<void> {
  if (ended.length <= MAX_RETAINED_WORKERS) return;
  const [oldest, next] = ended.toSorted(([a], [b]) => numberOf(a) - numberOf(b));
  if (!oldest || !next) return;
  delete counters[oldest[0]];
  delete counters[next[0]];
  counters[ENDED] = await AggregatorRegistry.aggregate([oldest[1], next[1]]).getMetricsAsJSON();
}

/** The number at the end of a worker's id, which grows in the order of starting. */
const numberOf = (id: string): number => Number(id.slice(id.lastIndexOf('.') + 1));
