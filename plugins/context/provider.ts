import { brand } from '../../contributions/index.js';
import { coded } from '../../kernel/index.js';
import type { Peers } from '../../peers/index.js';
import type { CtxLogger, RuntimeCtx } from '../../scope/index.js';
import type { HttpRequest } from '../http/index.js';
import type { NotStorable, SessionValue } from './session.js';

/** The lifetime of a value: the process, one visitor's session, or one request (one socket, one call). */
export type Lifetime = 'singleton' | ScopedLifetime;

/** The lifetimes of values that end before the process does. */
export type ScopedLifetime = 'session' | 'request';

/** The scope of each lifetime, for messages, including compiler errors. */
export const LIVES_FOR = { session: 'visitor', request: 'request' } as const satisfies Record<
  ScopedLifetime,
  string
>;

/** Register a callback for the end of a value's scope. They run in reverse order, and may be async. */
export type OnDestroy = (destroy: () => unknown) => void;

/** The tools that the factory of a provided value gets. */
export interface ProvideTools {
  /** Run `destroy` when the value ends, after its last request. In reverse order; may be asynchronous. */
  readonly onDestroy: (destroy: () => unknown) => void;
  /**
   * Run `begin` when the app starts to serve with this value, for example to consume a queue or
   * start a timer. In `fwk dev`, `begin` runs when this version replaces the previous one, and
   * never if any part of the version is broken. If `begin` returns a function, it runs when the
   * value stops serving: before the next version starts, or at shutdown.
   */
  readonly onStart: (begin: () => unknown) => void;
  /**
   * A resource that can exist only once (a port, a lock, a connection), which is handed over when
   * `fwk dev` replaces this value with the value of a new version. `make` creates it if the
   * previous version has none with that name, and it is destroyed when the last version that
   * requested it has ended. If `make` returns a promise, the promise is stored.
   */
  readonly keep: <T>(name: string, make: () => T, destroy?: (value: Awaited<T>) => unknown) => T;
  /**
   * The processes that serve the app, on this machine and, if a plugin connects them, on other
   * machines. They share counters, caches and locks, and exchange messages. They are unavailable
   * before the app serves: use them in `onStart`, or when the service is called. The value's
   * subscriptions end with the value.
   */
  readonly peers: Peers;
}

/** The tools that a singleton's factory gets in addition to `ctx`. */
export type SingletonTools = ProvideTools;

/** The tools that a request value's factory gets in addition to `ctx`. */
export interface RequestTools {
  /** Runs a function after the request and its response have ended. */
  readonly onDestroy: OnDestroy;
  /** The request that the value is created for; undefined if the scope has no request. */
  readonly req: HttpRequest | undefined;
}

/**
 * The tools that a session value's factory gets in addition to `ctx`. There is no `onDestroy`: the
 * value is data that outlives the request, and also the process if its store does, so nothing could
 * run the callback.
 */
export interface SessionTools {
  /** The request that reads the value first, before any write; undefined if the scope has no request. */
  readonly req: HttpRequest | undefined;
}

/**
 * The `ctx` of a singleton's factory. Values that live for one request or one visitor have the type
 * `OutOfReach`. The generated types add the members.
 */
export interface SingletonCtx {
  readonly logger: CtxLogger;
}

const PROVIDER = brand('fwkit.provider');

/** The return type of a singleton's factory, which is awaited at startup. */
type Eventual<T> = T | Promise<T> | PromiseLike<T>;

/**
 * The value of a singleton, from the return type of its factory. Not `Awaited`, which resolves more
 * members of the type: services that read each other would have no type (TS7023).
 */
type Settled<R> = R extends Promise<infer T> ? T : R extends PromiseLike<infer T> ? T : R;

/** The default export of a file in `services/` or `di/`. `T` is the type of the value in `ctx`. */
export interface Provider<T = unknown, L extends Lifetime = Lifetime> {
  readonly lifetime: L;
  make(ctx: RuntimeCtx & SingletonCtx, tools: SingletonTools | RequestTools): Eventual<T>;
  /** Whether the value, whose type is unknown here, is healthy. */
  readonly health?: ((value: unknown) => boolean | PromiseLike<boolean>) | undefined;
}

/** The options of a service. */
export interface ServiceOptions<T> {
  /**
   * Whether the service is healthy. `/readyz` responds with 503 if the check doesn't return true,
   * throws, or takes longer than three seconds. It runs for each probe, one run at a time.
   */
  readonly health?: (value: T) => boolean | PromiseLike<boolean>;
}

/**
 * The type of a provider's value in `ctx`. `service` and `di` have inferred it without the promise
 * of a singleton: with `Awaited<T>` here, the compiler would have to resolve the return types of
 * services to know their type, and asynchronous services that read each other would have no type
 * (TS7023).
 */
export type Provided<P> = P extends Provider<infer T, Lifetime> ? T : never;

/** The type of a provider's value in the `ctx` of a singleton's factory, under `ctx[Key]`. */
export type ProvidedToSingleton<P, Key extends string> =
  P extends Provider<infer T, infer L>
    ? L extends ScopedLifetime
      ? OutOfReach<`ctx.${Key} lives for one ${(typeof LIVES_FOR)[L]}, a singleton longer`>
      : T
    : never;

/** A value with a shorter lifetime than its reader. The compiler prints the reason if it is used. */
export interface OutOfReach<Reason extends string> {
  readonly [reason]: Reason;
}

declare const reason: unique symbol;

/** The type that can be assigned to the property: the value's type for session values, nothing for others. */
export type Assigned<P> = P extends Provider<infer T, infer L> ? (L extends 'session' ? T : never) : never;

/**
 * Define a singleton, which is created at startup: `export default service((ctx, { onDestroy }) =>
 * new Store(ctx.database))`. With a second argument, `{ health: (store) => store.isOpen }`,
 * `/readyz` checks the service's health.
 */
export function service<R>(
  // Not a union with promises: `this` in a method of a returned object would have that union as its type.
  factory: (ctx: SingletonCtx, tools: SingletonTools) => R,
  options?: ServiceOptions<Settled<NoInfer<R>>>,
): Provider<Settled<R>, 'singleton'>;
export function service(
  factory: (ctx: SingletonCtx, tools: SingletonTools) => unknown,
  options: ServiceOptions<unknown> = {},
): Provider<unknown, 'singleton'> {
  if (typeof factory !== 'function')
    throw coded('FWK309', 'service() takes a function that creates the value');
  const { health } = options;
  const unknown = Object.keys(options).find((key) => key !== 'health');
  if (unknown !== undefined)
    throw coded('FWK309', `service() has no option "${unknown}": it takes { health: (value) => boolean }`);
  if (health === undefined) return provider('singleton', factory);
  if (typeof health !== 'function')
    throw coded('FWK309', 'health of service() must be a function that returns whether the value is healthy');
  return provider('singleton', factory, health);
}

/** Define a value or factory with a lifetime: `di({ lifetime: 'request', value: (ctx, { req }) => … })`. */
export function di<R>(options: {
  readonly lifetime: 'singleton';
  readonly value: (ctx: SingletonCtx, tools: SingletonTools) => R;
}): Provider<Settled<R>, 'singleton'>;
export function di<T>(options: {
  readonly lifetime: 'request';
  readonly value: (ctx: RuntimeCtx, tools: RequestTools) => T;
}): Provider<T, 'request'>;
export function di<R>(options: {
  readonly lifetime: 'singleton';
  readonly value: R;
}): Provider<Settled<R>, 'singleton'>;
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
  // Only compared: a type built from T here would keep `'light'` from being inferred as string.
  readonly value: T & ([T] extends [SessionValue<T>] ? unknown : NotStorable);
}): Provider<T, 'session'>;
export function di({ lifetime, value, ...others }: { lifetime: Lifetime; value: unknown }): Provider {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw coded('FWK309', `di() has no option ${JSON.stringify(unknown)}: it takes { lifetime, value }`);
  if (lifetime !== 'singleton' && lifetime !== 'session' && lifetime !== 'request')
    throw coded(
      'FWK309',
      `di() takes the lifetime "singleton", "session" or "request", not ${JSON.stringify(lifetime)}`,
    );
  if (value === undefined)
    throw coded('FWK309', 'di() takes a value, or a function that creates it: { lifetime, value }');
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
