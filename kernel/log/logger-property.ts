import { coded } from '../errors/index.js';
import type { Logger } from './logger.js';

/** The property `ctx.logger`. */
export const loggerProperty = <Ctx>(get: (ctx: Ctx) => Logger): PropertyDescriptor & ThisType<Ctx> => ({
  get() {
    return get(this);
  },
  set() {
    const why = 'it is the framework’s own, and only values with the lifetime "session" can be';
    throw coded('FWK313', new TypeError(`ctx.logger cannot be assigned: ${why}`));
  },
  enumerable: true,
});
