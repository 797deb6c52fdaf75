import { brand } from '../../contributions/index.js';
import { coded } from '../../kernel/index.js';
import type { CtxLogger, RuntimeCtx } from '../../scope/index.js';
import type { HttpRequest } from '../http/index.js';
import type { ProvideTools } from './provide.js';
import type { NotStorable, SessionValue } from './session.js';

/** How long a value lives: as the process, as one visitor's session, or as one request (one socket, one call). */
export type Lifetime = 'singleton' | ScopedLifetime;

/** The lifetimes of values that end before the process does. */
export type ScopedLifetime = 'session' | 'request';

/** For messages, also those of the compiler: what a value of each such lifetime lives for. */
export const LIVES_FOR = { session: 'visitor', request: 'request' } as const satisfies Record<
  ScopedLifetime,
  string
>;

/** Register what has to happen when the scope of a value ends. Runs in reverse order; may be asynchronous. */
export type OnDestroy = (destroy: () => unknown) => void;

/** The tools that the factory of a singleton gets beside `ctx`. */
export type SingletonTools = ProvideTools;

/** The tools that the factory of a request value gets beside `ctx`. */
export interface RequestTools {
  /** Runs a function when the request, its response included, is over. */
  readonly onDestroy: OnDestroy;
  /** The request that the value is made for; undefined where a scope serves none. */
  readonly req: HttpRequest | undefined;
}

/**
 * The tools that the factory of a session value gets beside `ctx`. There is no `onDestroy`: the value is data that
 * outlives the request, and the process if its store does, so nothing could run it.
 */
export interface SessionTools {
  /** The request that reads the value while nothing has been written to it; undefined where a scope serves none. */
  readonly req: HttpRequest | undefined;
}

/**
 * The `ctx` of a singleton's factory. Values that live for one request or one visitor are `OutOfReach` in it. Filled by
 * the generated types.
 */
export interface SingletonCtx {
  readonly logger: CtxLogger;
}

const PROVIDER = brand('fwkit.provider');

/** What the factory of a singleton returns: it is awaited at boot. */
type Eventual<T> = T | Promise<T> | PromiseLike<T>;

/** The default export of a file in `services/` or `di/`. `T` is the type that `ctx` has for it. */
export interface Provider<T = unknown, L extends Lifetime = Lifetime> {
  readonly lifetime: L;
  make(ctx: RuntimeCtx & SingletonCtx, tools: SingletonTools | RequestTools): Eventual<T>;
  /** Whether the value, of which its type says nothing here, is well. */
  readonly health?: ((value: unknown) => boolean | PromiseLike<boolean>) | undefined;
}

/** What a service says of itself beside its factory. */
export interface ServiceOptions<T> {
  /**
   * Whether the service is well: `/readyz` asks, and says 503 where this is not true, throws, or has not answered in three
   * seconds. It is asked when the probe comes, one at a time.
   */
  readonly health?: (value: T) => boolean | PromiseLike<boolean>;
}

/**
 * The type that `ctx` has for a provider. `service` and `di` have inferred it without the promise of a singleton:
 * with `Awaited<T>` here, the compiler would have to look into what services return to know what they are, and
 * asynchronous ones that read each other would have no type (TS7023).
 */
export type Provided<P> = P extends Provider<infer T, Lifetime> ? T : never;

/** The same, as a singleton's factory sees it under `ctx[Key]`. */
export type ProvidedToSingleton<P, Key extends string> =
  P extends Provider<infer T, infer L>
    ? L extends ScopedLifetime
      ? OutOfReach<`ctx.${Key} lives for one ${(typeof LIVES_FOR)[L]}, a singleton longer`>
      : T
    : never;

/** What `ctx` has for a value that lives shorter than its reader: nothing that can be used. The compiler prints why. */
export interface OutOfReach<Reason extends string> {
  readonly [reason]: Reason;
}

declare const reason: unique symbol;

/** The type that can be assigned to it: that of a session value; nothing to others. */
export type Assigned<P> = P extends Provider<infer T, infer L> ? (L extends 'session' ? T : never) : never;

/**
 * A singleton, made at boot: `export default service((ctx, { onDestroy }) => new Store(ctx.database))`. A second argument,
 * `{ health: (store) => store.isOpen }`, has `/readyz` ask whether it is well.
 */
export function service<T>(
  factory: (ctx: SingletonCtx, tools: SingletonTools) => Eventual<T>,
  options: ServiceOptions<NoInfer<T>> = {},
): Provider<T, 'singleton'> {
  if (typeof factory !== 'function') throw coded('FWK309', 'service() takes a function that makes the value');
  const { health } = options;
  const unknown = Object.keys(options).find((key) => key !== 'health');
  if (unknown !== undefined)
    throw coded('FWK309', `service() has no option "${unknown}": it takes { health: (value) => boolean }`);
  if (health === undefined) return provider('singleton', factory);
  if (typeof health !== 'function')
    throw coded('FWK309', 'health of service() is a function that says whether the value is well');
  return provider('singleton', factory, (value) => health(value as T));
}

/** A value or factory with a lifetime: `export default di({ lifetime: 'request', value: (ctx, { req }) => … })`. */
export function di<T>(options: {
  readonly lifetime: 'singleton';
  readonly value: (ctx: SingletonCtx, tools: SingletonTools) => Eventual<T>;
}): Provider<T, 'singleton'>;
export function di<T>(options: {
  readonly lifetime: 'request';
  readonly value: (ctx: RuntimeCtx, tools: RequestTools) => T;
}): Provider<T, 'request'>;
export function di<T>(options: {
  readonly lifetime: 'singleton';
  readonly value: Eventual<T>;
}): Provider<T, 'singleton'>;
export function di<T, L extends Exclude<Lifetime, 'session'>>(options: {
  readonly lifetime: L;
  readonly value: T;
}): Provider<T, L>;
export function di<T>(options: {
  readonly lifetime: 'session';
  readonly value: (ctx: RuntimeCtx, tools: SessionTools) => T & SessionValue<T>;
}): Provider<T, 'session'>;
export function di<T>(options: {
  readonly lifetime: 'session';
  // Only compared: a type made of T here would keep `'light'` from being inferred as string.
  readonly value: T & ([T] extends [SessionValue<T>] ? unknown : NotStorable);
}): Provider<T, 'session'>;
export function di({ lifetime, value }: { lifetime: Lifetime; value: unknown }): Provider {
  if (lifetime !== 'singleton' && lifetime !== 'session' && lifetime !== 'request')
    throw coded(
      'FWK309',
      `di() takes the lifetime "singleton", "session" or "request", not ${JSON.stringify(lifetime)}`,
    );
  if (value === undefined)
    throw coded('FWK309', 'di() takes a value, or a function that makes it: { lifetime, value }');
  return provider(lifetime, isFactory(value) ? value : () => value);
}

export const isProvider = (value: unknown): value is Provider => PROVIDER.has(value);

function provider<T, L extends Lifetime>(
  lifetime: L,
  make: Provider<T, L>['make'],
  health?: Provider['health'],
): Provider<T, L> {
  return Object.freeze(PROVIDER.mark(health ? { lifetime, make, health } : { lifetime, make }));
}

const isFactory = (value: unknown): value is Provider['make'] => typeof value === 'function';
