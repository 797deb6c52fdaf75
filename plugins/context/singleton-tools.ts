import { setImmediate } from 'node:timers';
import { coded, isThenable } from '../../kernel/index.js';
import type { MemoryOptions, Peers, Receive, SharedMemory } from '../../peers/index.js';
import { observe } from './promises.js';
import type { SingletonTools } from './provider.js';
import type { SingletonInstance } from './singleton-instance.js';

export const singletonTools = (
  instance: SingletonInstance,
  resources: SharedResources,
  peers: DeferredPeers,
): SingletonTools => ({
  onDestroy: (close) => instance.onDestroy(close),
  onStart: (begin) => instance.onStart(begin),
  keep: (name, make, destroy) => {
    const failed = (thrown: unknown) => instance.home.failed(instance, `keep("${name}")`, thrown);
    const { value, release } = resources.hold(`${instance.key} ${name}`, make, destroy, failed);
    instance.onDestroy(release);
    return value;
  },
  peers: peers.of({
    onEnd: (end) => instance.onDestroy(end),
    failed: (what, thrown) => instance.home.failed(instance, what, thrown),
  }),
});

interface Resource {
  readonly value: unknown;
  readonly end: () => Promise<void>;
  holders: number;
}

/**
 * Resources that services hand over from version to version because only one can exist: a port, a
 * lock, a consumer. A resource ends when no service that requested it is left.
 */
export class SharedResources {
  readonly #resources = new Map<string, Resource>();

  /**
   * The resource with a name, which the first caller creates, and a function that releases it.
   * `failed` is called if the resource could not be created and no caller awaits it.
   */
  hold<T>(
    name: string,
    make: () => T,
    destroy: ((value: Awaited<T>) => unknown) | undefined,
    failed: (thrown: unknown) => void,
  ) {
    const resource = this.#resources.get(name) ?? this.#make(name, make, destroy, failed);
    resource.holders += 1;
    const release = async (): Promise<void> => {
      resource.holders -= 1;
      if (resource.holders > 0) return;
      this.#drop(name, resource);
      await resource.end();
    };
    // Each name stands for one type, which TypeScript cannot know.
    return { value: resource.value as T, release };
  }

  #make<T>(
    name: string,
    make: () => T,
    destroy: ((value: Awaited<T>) => unknown) | undefined,
    failed: (thrown: unknown) => void,
  ): Resource {
    const value = make();
    const observed = observe(value, () => {
      // The next caller creates it again.
      this.#drop(name, resource);
      // After one turn of the event loop, callers that await it have called `then`.
      setImmediate(() => {
        const unhandled = observed?.unhandled();
        if (unhandled) failed(unhandled.thrown);
      });
    });
    const end = async (): Promise<void> => {
      try {
        await value;
      } catch {
        return; // It was never created, and the caller got the error.
      }
      await destroy?.(await value);
    };
    const resource = { value: observed?.promise ?? value, end, holders: 0 };
    this.#resources.set(name, resource);
    return resource;
  }

  #drop(name: string, resource: Resource): void {
    if (this.#resources.get(name) === resource) this.#resources.delete(name);
  }
}

interface PeersOwner {
  onEnd(end: () => void): void;
  failed(what: string, thrown: unknown): void;
}

/**
 * The peers that services receive. Services are created before the app serves, when the scope of
 * the peers is not known yet: until then a service can listen to them and name them, but cannot
 * send anything to them.
 */
export class DeferredPeers {
  #peers: Peers | undefined;
  readonly #listening = new Set<() => void>();

  connect(peers: Peers): void {
    if (this.#peers) return;
    this.#peers = peers;
    for (const listen of this.#listening) listen();
    this.#listening.clear();
  }

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
          'peers are unavailable before the app serves: use them in onStart, or when the service is called.',
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

/** The subscriptions of one service. They end with it; one that ends earlier is removed. */
class Listening {
  readonly #ends = new Set<() => void>();
  #state: 'unused' | 'used' | 'over' = 'unused';

  constructor(private readonly owner: PeersOwner) {}

  add<Head>(listen: (heard: Receive<Head>) => () => void, receive: Receive<Head>, topic: string): () => void {
    if (this.#state === 'over') return () => {};
    if (this.#state === 'unused') this.owner.onEnd(() => this.#end());
    this.#state = 'used';
    const failed = (thrown: unknown): void => this.owner.failed(`peers.on("${topic}")`, thrown);
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
