import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { SocketInfo } from 'fwkit';
import type { Exchange } from 'fwkit/http';
import type { McpCall } from 'fwkit/mcp';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry, register } from 'prom-client';

/** The values of all metrics, in the format in which `prom-client` exchanges them between processes. */
export type Snapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** The used members of the messages of `@fwkit/queue` and `@fwkit/cron`, which are not dependencies. */
interface JobEnd {
  readonly queue?: string;
  readonly cron?: string;
  readonly error: unknown;
  readonly duration: number;
}

/** The jobs of one queue, an answer to `fwk.queue.counts`. */
interface QueueCounts {
  readonly queue: string;
  /** By state. */
  readonly jobs: Readonly<Record<string, number>>;
  /** How long the next job has waited, in milliseconds. */
  readonly oldest: number;
}

/** The packages of queues add promises of their counts to the message. */
const COUNTS = channel('fwk.queue.counts');

let ofProcess: Registry | undefined;

/** The default metrics of the process. Created once, because the observers of `prom-client` run until the process ends. */
function processMetrics(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

export class AppMetrics {
  readonly #registry = new Registry();
  readonly #exchanges = new Set<Exchange>();
  /** The open sockets, each with the messages that another worker has counted before it handed the socket over. */
  readonly #sockets = new Map<SocketInfo, Pick<SocketInfo, 'received' | 'sent'>>();
  readonly #channels = new Map<string, (message: unknown) => void>();
  #buckets = '';
  #requests: Histogram<'method' | 'route' | 'status'> | undefined;
  #calls: Histogram<'method' | 'target' | 'outcome'> | undefined;
  #jobs: Histogram<'queue' | 'cron' | 'outcome'> | undefined;
  readonly #streams: Counter;
  #counting: Promise<readonly QueueCounts[]> | undefined;
  #sessions = 0;

  constructor() {
    processMetrics();
    const registers = [this.#registry];
    const gauge = (name: string, help: string, count: () => number): void => {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(count());
        },
      });
    };
    gauge('http_requests_in_flight', 'Requests without a complete response.', () => this.#exchanges.size);
    gauge('fwk_event_streams', 'Open responses of sse().', () => {
      let open = 0;
      for (const { route } of this.#exchanges) if (route?.meta.sse) open += 1;
      return open;
    });
    gauge('fwk_websockets', 'Open WebSockets.', () => this.#sockets.size);
    gauge('fwk_mcp_sessions', 'MCP sessions over HTTP.', () => this.#sessions);
    const ofQueues = (
      name: string,
      help: string,
      labels: string[],
      report: (gauge: Gauge, counts: QueueCounts) => void,
    ) => {
      const counts = () => this.#queueCounts();
      // Each process returns the same numbers.
      new Gauge({
        name,
        help,
        labelNames: ['queue', ...labels],
        aggregator: 'max',
        registers,
        async collect() {
          this.reset();
          for (const queue of await counts()) report(this, queue);
        },
      });
    };
    ofQueues('fwk_queue_jobs', 'Jobs of a queue by state.', ['state'], (gauge, { queue, jobs }) => {
      for (const [state, count] of Object.entries(jobs)) gauge.set({ queue, state }, count);
    });
    ofQueues(
      'fwk_queue_oldest_job_age_seconds',
      'How long the next job has waited since it could start.',
      [],
      (gauge, { queue, oldest }) => gauge.set({ queue }, oldest / 1_000),
    );
    this.#streams = new Counter({
      name: 'fwk_event_streams_total',
      help: 'Closed responses of sse().',
      registers,
    });
    const shed = new Counter({
      name: 'fwk_requests_shed_total',
      help: 'Requests that were rejected with 503 because the process was overloaded.',
      registers,
    });
    this.#on('fwk.request.shed', () => shed.inc());
    const sockets = this.#sockets;
    const closed = { in: 0, out: 0 };
    new Counter({
      name: 'fwk_websocket_messages_total',
      help: 'WebSocket messages from clients (in) and to clients (out).',
      labelNames: ['direction'],
      registers,
      collect() {
        const total = { ...closed };
        for (const [{ received, sent }, before] of sockets) {
          total.in += received - before.received;
          total.out += sent - before.sent;
        }
        this.reset();
        this.inc({ direction: 'in' }, total.in);
        this.inc({ direction: 'out' }, total.out);
      },
    });
    this.#on<SocketInfo>('fwk.socket.open', (socket) => {
      sockets.set(socket, { received: socket.received, sent: socket.sent });
    });
    this.#on<SocketInfo>('fwk.socket.close', (socket) => {
      const before = sockets.get(socket);
      if (!before) return;
      sockets.delete(socket);
      closed.in += socket.received - before.received;
      closed.out += socket.sent - before.sent;
    });
    this.#on('fwk.mcp.session.start', () => {
      this.#sessions += 1;
    });
    this.#on('fwk.mcp.session.end', () => {
      this.#sessions -= 1;
    });
    this.#on<McpCall>('fwk.mcp.end', ({ method, target = '', error, code, isError, duration }) => {
      const outcome = error !== undefined || code !== undefined || isError ? 'error' : 'ok';
      this.#calls?.observe({ method, target, outcome }, duration / 1_000);
    });
    const deprecated = new Counter({
      name: 'fwk_deprecated_requests_total',
      help: 'Requests to deprecated routes by client.',
      labelNames: ['method', 'route', 'client'],
      registers,
    });
    this.#on<Record<'method' | 'route' | 'client', string>>('fwk.deprecated.call', (call) =>
      deprecated.inc(call),
    );
    this.#on<JobEnd>('fwk.job.end', ({ queue = '', cron = '', error, duration }) => {
      const outcome = error === undefined ? 'ok' : 'error';
      this.#jobs?.observe({ queue, cron, outcome }, duration / 1_000);
    });
  }

  /** Count durations in these buckets. If the buckets change, the histograms start at zero. */
  useBuckets(buckets: readonly number[]): void {
    if (buckets.join() === this.#buckets) return;
    this.#buckets = buckets.join();
    const histogram = <Label extends string>(name: string, help: string, labelNames: Label[]) => {
      this.#registry.removeSingleMetric(name);
      return new Histogram({ name, help, labelNames, buckets: [...buckets], registers: [this.#registry] });
    };
    this.#requests = histogram(
      'http_request_duration_seconds',
      'Time from the request head to the end of the response, without event streams.',
      ['method', 'route', 'status'],
    );
    this.#calls = histogram('fwk_mcp_call_duration_seconds', 'Requests of MCP clients.', [
      'method',
      'target',
      'outcome',
    ]);
    this.#jobs = histogram('fwk_job_duration_seconds', 'Attempts of jobs of queues and cron.', [
      'queue',
      'cron',
      'outcome',
    ]);
  }

  observe(exchange: Exchange): (() => void) | undefined {
    // The app sent this request to itself while handling another one.
    if (exchange.isInternal) return undefined;
    this.#exchanges.add(exchange);
    return () => {
      this.#exchanges.delete(exchange);
      const { raw, route, status, duration } = exchange;
      if (route?.meta.sse && status === 200) return this.#streams.inc();
      const labels = { method: raw.method ?? '', route: route?.path ?? '', status: status ?? 'aborted' };
      this.#requests?.observe(labels, duration / 1_000);
    };
  }

  async text(): Promise<string> {
    const parts: Promise<string>[] = [];
    for (const [name, registry] of this.#all()) parts.push(registry.getSingleMetricAsString(name));
    return `${(await Promise.all(parts)).join('\n\n')}\n`;
  }

  async snapshot(): Promise<Snapshot> {
    const all = this.#all();
    const registries = [...new Set(all.values())];
    const found = await Promise.all(
      registries.map(async (registry) =>
        (await registry.getMetricsAsJSON()).filter(({ name }) => all.get(name) === registry),
      ),
    );
    return found.flat();
  }

  close(): void {
    for (const [name, receive] of this.#channels) unsubscribe(name, receive);
  }

  /** The counts of all queues, which the metrics of one scrape share. Without the queues of a broker that does not answer. */
  #queueCounts(): Promise<readonly QueueCounts[]> {
    const answers: Promise<readonly QueueCounts[]>[] = [];
    if (!this.#counting) COUNTS.publish(answers);
    this.#counting ??= Promise.allSettled(answers).then((settled) => {
      this.#counting = undefined;
      return settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    });
    return this.#counting;
  }

  /** The registry of each metric. The project's registry is last, because it may also contain the metrics of the process. */
  #all(): Map<string, Registry> {
    const all = new Map<string, Registry>();
    for (const registry of [this.#registry, processMetrics(), register])
      for (const { name } of registry.getMetricsAsArray()) if (!all.has(name)) all.set(name, registry);
    return all;
  }

  #on<Message>(name: string, receive: (message: Message) => void): void {
    const listener = (message: unknown): void => receive(message as Message);
    this.#channels.set(name, listener);
    subscribe(name, listener);
  }
}
