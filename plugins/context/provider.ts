import { brand, type Logger, type ProvideTools, type RuntimeCtx } from '../../kernel/index.js';
import type { HttpRequest } from '../http/index.js';
import type { NotStorable, SessionValue } from './storable.js';

/** How long a value lives: as the process, as one visitor's session, or as one request (one socket, one call). */
export type Lifetime = 'singleton' | ScopedLifetime;

/** The lifetimes of values that end before the process does. */
export type ScopedLifetime = 'session' | 'request';

/** For messages: what a value of each such lifetime lives for. */
export const LIVES_FOR: Readonly<Record<ScopedLifetime, string>> = { session: 'visitor', request: 'request' };

/** Register what has to happen when the scope of a value ends. Runs in reverse order; may be asynchronous. */
export type OnDestroy = (destroy: () => unknown) => void;

/** The tools that the factory of a singleton gets beside `ctx`. */
export type SingletonTools = ProvideTools;

export interface RequestTools {
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
 * The `ctx` of a singleton's factory, without values that live for one request or one visitor. Filled by the generated
 * types.
 */
export interface SingletonCtx {
  readonly logger: Logger;
}

const PROVIDER = brand('fwkit.provider');

/** The default export of a file in `services/` or `di/`. */
export interface Provider<T = unknown, L extends Lifetime = Lifetime> {
  readonly lifetime: L;
  make(ctx: RuntimeCtx & SingletonCtx, tools: SingletonTools | RequestTools): T;
}

/** The type that `ctx` has for a provider. An asynchronous singleton is awaited at boot; a request value is not. */
export type Provided<P> =
  P extends Provider<infer T, infer L> ? (L extends 'singleton' ? Awaited<T> : T) : never;

/** The same, as a singleton's factory sees it. */
export type ProvidedToSingleton<P> =
  P extends Provider<infer T, infer L> ? (L extends 'singleton' ? Awaited<T> : CaptiveDependency) : never;

/** The type that can be assigned to it: that of a session value; nothing to others. */
export type Assigned<P> = P extends Provider<infer T, infer L> ? (L extends 'session' ? T : never) : never;

/** The type error of a singleton that reads a request or session value. */
export interface CaptiveDependency {
  readonly 'a singleton cannot read a value that lives for one request or one visitor': never;
}

/** A singleton, made at boot: `export default service((ctx, { onDestroy }) => new Store(ctx.database))`. */
export function service<T>(
  factory: (ctx: SingletonCtx, tools: SingletonTools) => T,
): Provider<T, 'singleton'> {
  if (typeof factory !== 'function') throw new TypeError('service() takes a function that makes the value');
  return provider('singleton', factory);
}

/** A value or factory with a lifetime: `export default di({ lifetime: 'request', value: (ctx, { req }) => … })`. */
export function di<T>(options: {
  readonly lifetime: 'singleton';
  readonly value: (ctx: SingletonCtx, tools: SingletonTools) => T;
}): Provider<T, 'singleton'>;
export function di<T>(options: {
  readonly lifetime: 'request';
  readonly value: (ctx: RuntimeCtx, tools: RequestTools) => T;
}): Provider<T, 'request'>;
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
    throw new TypeError(
      `di() takes the lifetime "singleton", "session" or "request", not ${JSON.stringify(lifetime)}`,
    );
  if (value === undefined)
    throw new TypeError('di() takes a value, or a function that makes it: { lifetime, value }');
  return provider(lifetime, isFactory(value) ? value : () => value);
}

export const isProvider = (value: unknown): value is Provider => PROVIDER.has(value);

function provider<T, L extends Lifetime>(lifetime: L, make: Provider<T, L>['make']): Provider<T, L> {
  return Object.freeze(PROVIDER.mark({ lifetime, make }));
}

const isFactory = (value: unknown): value is Provider['make'] => typeof value === 'function';
