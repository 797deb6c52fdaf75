import {
  coded,
  isThenable,
  type MemoryOptions,
  type Peers,
  type Receive,
  type SharedMemory,
} from '../../kernel/index.js';

/** The service that peers are for. */
export interface PeersOwner {
  /** Have `end` run when it ends. */
  onEnd(end: () => void): void;
  /** Log what a receiver of it threw. */
  failed(what: string, thrown: unknown): void;
}

/**
 * The peers that services are given. Services are made before the app serves, when nobody knows yet how far peers reach: until then they
 * can be listened for and named, and nothing can be asked of them.
 */
export class LatePeers {
  #peers: Peers | undefined;
  readonly #listening = new Set<() => void>();

  /** The app serves with `peers`. */
  connect(peers: Peers): void {
    if (this.#peers) return;
    this.#peers = peers;
    for (const listen of this.#listening) listen();
    this.#listening.clear();
  }

  /** The peers for one service. */
  of(owner: PeersOwner): Peers {
    const late = this;
    const listening = new Listening(owner);
    return {
      get id() {
        return late.#now().id;
      },
      get machine() {
        return late.#now().machine;
      },
      get count() {
        return late.#now().count;
      },
      get span() {
        return late.#now().span;
      },
      secret: (purpose) => late.#now().secret(purpose),
      send: (topic, head, body) => late.#now().send(topic, head, body),
      on: (topic, receive) => listening.add((heard) => late.#on(topic, heard), receive, topic),
      memory: (name, options) => late.#memory(name, options),
      lock: async (name, work, options) => late.#now().lock(name, work, options),
      roster: (name) => ({
        set: (shares) => late.#now().roster(name).set(shares),
        sum: async (key) => late.#now().roster(name).sum(key),
      }),
    };
  }

  #now(): Peers {
    if (!this.#peers)
      throw coded(
        'FWK312',
        new Error(
          'peers reach nobody before the app serves: use them in onStart, or when the service is called.',
        ),
      );
    return this.#peers;
  }

  #memory(name: string, options: MemoryOptions | undefined): SharedMemory {
    let known: SharedMemory | undefined;
    const memory = (): SharedMemory => (known ??= this.#now().memory(name, options));
    return {
      get: async (key) => memory().get(key),
      put: async (key, fields, maxAge, only) => memory().put(key, fields, maxAge, only),
      take: async (key) => memory().take(key),
      add: async (key, amount, maxAge) => memory().add(key, amount, maxAge),
    };
  }

  #on<Head>(topic: string, receive: Receive<Head>): () => void {
    if (this.#peers) return this.#peers.on(topic, receive);
    let stop = (): void => {};
    const listen = (): void => {
      stop = this.#now().on(topic, receive);
    };
    this.#listening.add(listen);
    return () => {
      this.#listening.delete(listen);
      stop();
    };
  }
}

/** What one service listens for: it ends with it, and what ends before leaves nothing behind. */
class Listening {
  readonly #owner: PeersOwner;
  readonly #ends = new Set<() => void>();
  #state: 'unused' | 'used' | 'over' = 'unused';

  constructor(owner: PeersOwner) {
    this.#owner = owner;
  }

  add<Head>(listen: (heard: Receive<Head>) => () => void, receive: Receive<Head>, topic: string): () => void {
    if (this.#state === 'over') return () => {};
    if (this.#state === 'unused') this.#owner.onEnd(() => this.#end());
    this.#state = 'used';
    const failed = (thrown: unknown): void => this.#owner.failed(`peers.on("${topic}")`, thrown);
    const stop = listen((head, body) => {
      try {
        const result: unknown = receive(head, body);
        if (isThenable(result)) Promise.resolve(result).catch(failed);
      } catch (thrown) {
        failed(thrown);
      }
    });
    const end = (): void => {
      if (this.#ends.delete(end)) stop();
    };
    this.#ends.add(end);
    return end;
  }

  #end(): void {
    this.#state = 'over';
    for (const end of this.#ends) end();
  }
}
