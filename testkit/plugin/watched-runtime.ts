import { Health, Runtime } from '../../kernel/internal.js';
import { OneProcess } from '../../peers/index.js';
import type { Inventory } from './resources.js';

/** The functions that a runtime has been given and not had removed, by what they are registered with. */
class Registrations {
  readonly #registered = new Map<string, readonly string[]>();

  /** Note one. Returns a function that removes it again, once. */
  add(what: string): () => void {
    const all = () => this.#registered.get(what) ?? [];
    this.#registered.set(what, [...all(), what]);
    let isLeft = true;
    return () => {
      if (isLeft) this.#registered.set(what, all().slice(1));
      isLeft = false;
    };
  }

  list(): Inventory {
    return new Map(this.#registered);
  }
}

class WatchedPeers extends OneProcess {
  readonly registrations = new Registrations();

  override on(topic = ''): () => void {
    return this.registrations.add(`a subscription of peers.on('${topic}')`);
  }
}

class WatchedHealth extends Health {
  readonly #registrations: Registrations;

  constructor(registrations: Registrations) {
    super();
    this.#registrations = registrations;
  }

  override add(...[name, check]: Parameters<Health['add']>): () => void {
    const remove = super.add(name, check);
    const forget = this.#registrations.add(`the health check "${name}"`);
    return () => {
      remove();
      forget();
    };
  }
}

/** A runtime that counts what is registered with it: what each version adds and none removes piles up. */
export class WatchedRuntime extends Runtime {
  readonly #registrations: Registrations;
  override readonly health: Health;

  constructor(transport: Runtime['transport']) {
    const peers = new WatchedPeers();
    super({ transport, reloads: true, peers });
    this.#registrations = peers.registrations;
    this.health = new WatchedHealth(this.#registrations);
  }

  override onClose(close: () => unknown): void {
    this.#registrations.add('a function of runtime.onClose');
    super.onClose(close);
  }

  override onEnd(end: () => unknown): void {
    this.#registrations.add('a function of runtime.onEnd');
    super.onEnd(end);
  }

  /** What is registered now. */
  registered(): Inventory {
    return this.#registrations.list();
  }
}
