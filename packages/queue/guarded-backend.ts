import type { EventEmitter } from 'node:events';
import type { BackendFactory } from 'bullmq';
import { isObject } from 'fwkit/plugin';

const guarded = new WeakSet<object>();

/**
 * The same backends, whose connections may end. BullMQ leaves those that it has taken from the pool of `pg` without a listener, and an
 * event `error` that nobody hears ends the process; whatever was asked of them fails anyway, and BullMQ hears of that.
 */
export const guardedBackend =
  (make: BackendFactory): BackendFactory =>
  (...given) => {
    const backend = make(...given);
    const pool = poolOf(backend);
    // One pool may be that of all queues.
    if (pool && !guarded.has(pool)) {
      guarded.add(pool);
      pool.on('connect', (client: EventEmitter) => client.on('error', () => {}));
    }
    return backend;
  };

function poolOf(backend: object): Pick<EventEmitter, 'on'> | undefined {
  const connection: unknown = Reflect.get(backend, 'connection');
  const pool = isObject(connection) ? connection.pool : undefined;
  return isObject(pool) && typeof pool.on === 'function'
    ? (pool as Pick<EventEmitter, 'on'> & object)
    : undefined;
}
