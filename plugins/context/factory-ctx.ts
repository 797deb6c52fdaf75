import { type CtxLogger, type Logger, loggerProperty, type Project } from '../../kernel/index.js';
import { completeLogger, OWN_LOGGER } from './given-logger.js';
import { provide, refuseAssignment } from './property.js';
import type { SingletonInstance } from './singleton-instance.js';

/**
 * The `ctx` that factories of singletons get: each knows its owner, so that every read is recorded. All versions of a
 * project share one subclass, which has a getter for every key that there ever was: a service that is kept finds in it
 * the keys that were added after it was made.
 */
export class FactoryCtx {
  declare readonly logger: CtxLogger;
  readonly #owner: SingletonInstance;

  constructor(owner: SingletonInstance) {
    Object.preventExtensions(this);
    this.#owner = owner;
  }

  /**
   * The class for the versions of a project. But in production, its ctx notes reads of what it has not; what it has is
   * found before the proxy, which costs that nothing. They give undefined: a factory may ask whether there is a key.
   */
  static forProject({ mode }: Project): typeof FactoryCtx {
    const Ctx = class extends FactoryCtx {};
    const base = new Proxy(FactoryCtx.prototype, {
      get(target, key, receiver) {
        if (typeof key === 'string' && !(key in target) && #owner in receiver) receiver.#owner.missed(key);
        return Reflect.get(target, key, receiver);
      },
    });
    if (mode !== 'production') Object.setPrototypeOf(Ctx.prototype, base);
    return Ctx;
  }

  static {
    // The project's own is a value like any other, and made from the framework's.
    const loggerOf = (ctx: FactoryCtx): Logger => {
      const owner = ctx.#owner;
      const { home, key } = owner;
      if (key === OWN_LOGGER) return home.logger.first;
      return home.has(OWN_LOGGER) ? completeLogger(home.read(owner, OWN_LOGGER)) : home.logger.current;
    };
    Object.defineProperty(FactoryCtx.prototype, 'logger', loggerProperty(loggerOf));
  }

  /** Give `Ctx` a getter for `key`. */
  static provide(Ctx: typeof FactoryCtx, key: string): void {
    if (key === 'logger' || Object.hasOwn(Ctx.prototype, key)) return;
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
