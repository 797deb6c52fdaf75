import type { Logger } from '../../kernel/index.js';
import type { Slot } from './slot.js';

/**
 * The `ctx` that factories of singletons get: each knows whose it is, so that every read is known. All generations of a
 * project share one subclass, which has a getter per key that there ever was: a service that is kept finds in it what
 * was added after it was made.
 */
export class FactoryCtx {
  readonly logger: Logger;
  readonly #owner: Slot;

  constructor(owner: Slot, logger: Logger) {
    this.logger = logger;
    this.#owner = owner;
  }

  /** Give `Ctx` a getter for `key`. */
  static provide(Ctx: typeof FactoryCtx, key: string): void {
    if (Object.hasOwn(Ctx.prototype, key)) return;
    const get = function (this: FactoryCtx): unknown {
      return this.#owner.home.read(this.#owner, key);
    };
    Object.defineProperty(Ctx.prototype, key, { enumerable: true, get });
  }
}
