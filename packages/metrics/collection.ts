import { isObject, type Json, type Peers } from 'fwkit/plugin';
import { AggregatorRegistry } from 'prom-client';
import type { AppMetrics, Snapshot } from './app-metrics.js';

/** How long a worker has to answer, in milliseconds; Prometheus waits for ten seconds. */
const ANSWER_TIMEOUT_MS = 1_000;
/** For how long the counters of workers that have ended are kept, in seconds. */
const KEPT_SECONDS = 31_536_000;
/** Ended workers whose counters are kept one by one: one that was slow may answer again. */
const MAX_KEPT_WORKERS = 8;
const ENDED = 'ended.0';
const TOPICS = { ask: 'metrics.ask', answer: 'metrics.answer' };

/** What workers counted when they were last asked, by their ids, and what all did that ended longer ago. */
type Kept = Record<string, Snapshot>;

/**
 * The metrics of all processes that serve the app. A counter never falls: what a worker has counted stays when it has ended, and
 * what was asked of it last where it was killed.
 */
export class Collection {
  readonly #app: AppMetrics;
  readonly #peers: Peers;
  readonly #forget: (() => void)[] = [];
  #asked = 0;
  #receive: (answer: Answer) => void = () => {};

  constructor(app: AppMetrics, peers: Peers) {
    this.#app = app;
    this.#peers = peers;
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
    if (this.#peers.count === 1) return this.#app.text();
    return this.#update(async (kept) => {
      const live = await this.#ask();
      const ended = Object.entries(kept).filter(([worker]) => !live.has(worker));
      for (const [worker, snapshot] of live) kept[worker] = countersOf(snapshot);
      await merge(kept, ended);
      const all = [...live.values(), ...ended.map(([, snapshot]) => snapshot)];
      return `${await AggregatorRegistry.aggregate(all).metrics()}\n`;
    });
  }

  /** Leave to the others what this process has counted. */
  async close(): Promise<void> {
    for (const forget of this.#forget) forget();
    if (this.#peers.count === 1) return;
    await this.#update(async (kept) => {
      kept[this.#peers.id] = countersOf(await this.#app.snapshot());
    });
  }

  /** One at a time, of all processes. */
  #update<T>(change: (kept: Kept) => Promise<T>): Promise<T> {
    const memory = this.#peers.memory('metrics');
    return this.#peers.lock('metrics', async () => {
      const kept = JSON.parse((await memory.get('kept'))?.fields.counters ?? '{}') as Kept;
      const changed = await change(kept);
      await memory.put('kept', { counters: JSON.stringify(kept) }, KEPT_SECONDS);
      return changed;
    });
  }

  /** What all that serve have counted, by their ids. */
  async #ask(): Promise<Map<string, Snapshot>> {
    this.#asked += 1;
    const question = `${this.#peers.id} ${this.#asked}`;
    const live = new Map<string, Snapshot>();
    const answered = new Promise<void>((resolve) => {
      const limit = setTimeout(resolve, ANSWER_TIMEOUT_MS);
      this.#receive = (answer) => {
        if (answer.question !== question) return;
        live.set(answer.worker, answer.snapshot);
        if (live.size < this.#peers.count) return;
        clearTimeout(limit);
        resolve();
      };
    });
    this.#peers.send(TOPICS.ask, question);
    this.#receive({ question, worker: this.#peers.id, snapshot: await this.#app.snapshot() });
    await answered;
    return live;
  }
}

interface Answer {
  readonly question: string;
  /** The id of who gives it. */
  readonly worker: string;
  readonly snapshot: Snapshot;
}

const isAnswer = (head: unknown): head is Omit<Answer, 'snapshot'> =>
  isObject(head) && 'question' in head && 'worker' in head;

/** What only rises. A gauge ends with its process. */
const countersOf = (snapshot: Snapshot): Snapshot =>
  snapshot.filter(({ type }) => ['counter', 'histogram', 'summary'].includes(String(type)));

/** Put the two oldest of too many ended workers together. */
async function merge(kept: Kept, ended: readonly (readonly [string, Snapshot])[]): Promise<void> {
  if (ended.length <= MAX_KEPT_WORKERS) return;
  const [oldest, next] = ended.toSorted(([a], [b]) => numberOf(a) - numberOf(b));
  if (!oldest || !next) return;
  delete kept[oldest[0]];
  delete kept[next[0]];
  kept[ENDED] = await AggregatorRegistry.aggregate([oldest[1], next[1]]).getMetricsAsJSON();
}

/** Ids of workers end with their number, in the order in which they were started. */
const numberOf = (id: string): number => Number(id.slice(id.lastIndexOf('.') + 1));
