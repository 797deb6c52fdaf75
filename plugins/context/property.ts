import { coded, isObject } from '../../kernel/index.js';
import type { Source } from './singleton-instance.js';

interface Access<Ctx> {
  get(this: Ctx): unknown;
  set(this: Ctx, value: unknown): void;
}

/**
 * Define a property of `ctx` on `target`. A property that cannot be assigned is an accessor too,
 * because the error of a read-only property does not explain the fix; reading it costs the same.
 */
export function provide<Ctx>(target: object, key: string, access: Access<Ctx>, enumerable = true): void {
  Object.defineProperty(target, key, { ...access, enumerable });
}

/** The name of the method of a plugin's singleton that returns its value for a scope with this origin. */
const FOR_SCOPE = Symbol.for('fwkit.forScope');

/** That method; undefined for a value that is the same in all scopes. */
export function forScope(value: unknown, file: string): ((origin: unknown) => unknown) | undefined {
  if (!file.startsWith('plugin ') || !isObject(value)) return undefined;
  const method: unknown = Reflect.get(value, FOR_SCOPE);
  return typeof method === 'function' ? (origin) => Reflect.apply(method, value, [origin]) : undefined;
}

/** The property of a singleton. `originOf` returns the origin of the scope of a `ctx`. */
export function constantProperty<Ctx>(
  value: unknown,
  { key, file, provider }: Source,
  originOf: (ctx: Ctx) => unknown,
): PropertyDescriptor & ThisType<Ctx> {
  const scoped = forScope(value, file);
  return {
    get: scoped
      ? function (this: Ctx) {
          return scoped(originOf(this));
        }
      : () => value,
    set: () => refuseAssignment(key, `${file} provides a ${provider.lifetime} value`),
    enumerable: true,
  };
}

export function refuseAssignment(key: string, why: string): never {
  throw coded(
    'FWK313',
    `ctx.${key} cannot be assigned: ${why}, and only values with the lifetime "session" can be`,
  );
}
