import type { Peers, Receive, SharedMemory } from '../../kernel/index.js';

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

  /** The peers for one service. What it listens for ends with it: `onEnd` registers that. */
  of(onEnd: (end: () => void) => void): Peers {
    const late = this;
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
      on: (topic, receive) => late.#on(topic, receive, onEnd),
      memory: (name) => late.#memory(name),
      lock: async (name, work, options) => late.#now().lock(name, work, options),
      roster: (name) => ({
        set: (shares) => late.#now().roster(name).set(shares),
        sum: async (key) => late.#now().roster(name).sum(key),
      }),
    };
  }

  #now(): Peers {
    if (!this.#peers)
      throw new Error(
        'peers reach nobody before the app serves: use them in onStart, or when the service is called.',
      );
    return this.#peers;
  }

  #memory(name: string): SharedMemory {
    let known: SharedMemory | undefined;
    const memory = (): SharedMemory => (known ??= this.#now().memory(name));
    return {
      get: async (key) => memory().get(key),
      put: async (key, fields, maxAge, only) => memory().put(key, fields, maxAge, only),
      take: async (key) => memory().take(key),
      add: async (key, amount, maxAge) => memory().add(key, amount, maxAge),
    };
  }

  #on(topic: string, receive: Receive, onEnd: (end: () => void) => void): () => void {
    let stop = (): void => {};
    const listen = (): void => {
      stop = this.#now().on(topic, receive);
    };
    if (this.#peers) listen();
    else this.#listening.add(listen);
    const end = (): void => {
      this.#listening.delete(listen);
      stop();
      stop = () => {};
    };
    onEnd(end);
    return end;
  }
}
