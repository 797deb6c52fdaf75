import type { Logger } from '../../kernel/index.js';
import { logging, provide, refuseAssignment } from './property.js';
import type { SingletonInstance } from './singleton-instance.js';

/**
 * The `ctx` that factories of singletons get: each knows its owner, so that every read is recorded. All versions of a
 * project share one subclass, which has a getter for every key that there ever was: a service that is kept finds in it
 * the keys that were added after it was made.
 */
export class FactoryCtx {
  declare readonly logger: Logger;
  readonly #owner: SingletonInstance;

  constructor(owner: SingletonInstance, logger: Logger) {
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
