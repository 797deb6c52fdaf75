import type { Logger } from '../../kernel/index.js';
import { logging, provide, refuseAssignment } from './property.js';
import type { Slot } from './slot.js';

/**
 * The `ctx` that factories of singletons get: each knows whose it is, so that every read is known. All versions of a
 * project share one subclass, which has a getter per key that there ever was: a service that is kept finds in it what
 * was added after it was made.
 */
export class FactoryCtx {
  declare readonly logger: Logger;
  readonly #owner: Slot;

  constructor(owner: Slot, logger: Logger) {
    provide(this, 'logger', logging(logger));
    Object.preventExtensions(this);
    this.#owner = owner;
  }

  /** Give `Ctx` a getter for `key`. */
  static provide(Ctx: typeof FactoryCtx, key: string): void {
    if (Object.hasOwn(Ctx.prototype, key)) return;
    provide<FactoryCtx>(Ctx.prototype, key, {
      get() {
        return this.#owner.home.read(this.#owner, key);
      },
      set() {
        refuseAssignment(key, 'a singleton lives longer than what is assigned in it');
      },
    });
  }
}
