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

/** The method of a plugin's singleton that returns its value for a scope, which knows the origin of the scope. */
const FOR_SCOPE = Symbol.for('fwkit.forScope');

/** The property of a singleton. `originOf` returns the origin of the scope of a `ctx`. */
export function constant<Ctx>(
  value: unknown,
  { key, file, provider }: Source,
  originOf: (ctx: Ctx) => unknown,
): PropertyDescriptor & ThisType<Ctx> {
  const forScope: unknown =
    file.startsWith('plugin ') && isObject(value) ? Reflect.get(value, FOR_SCOPE) : undefined;
  return {
    get:
      typeof forScope === 'function'
        ? function (this: Ctx) {
            return forScope(originOf(this));
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
