import { coded, type Logger } from '../../kernel/index.js';
import {
  type CtxLogger,
  loggerProperty,
  logSafely,
  type ProjectLogger,
  type RuntimeCtx,
  type Scopes,
  scopeLogger,
} from '../../scope/index.js';
import type { HttpRequest } from '../http/index.js';
import { Dependencies } from './dependencies.js';
import { inTime, type Observation, observe, settledWithin } from './promises.js';
import { constantProperty, provide, refuseAssignment } from './property.js';
import { LIVES_FOR, type ScopedLifetime } from './provider.js';
import { Guest, type Session, sessionOf } from './session.js';
import type { Source } from './singleton-instance.js';

export interface RequestScopes extends Scopes {
  readonly ended: () => Promise<void>;
}

/**
 * Scopes that create each request value once, on its first read, and read session values from the
 * visitor's session. The class of their `ctx` is created once: all its properties are accessors of
 * its prototype.
 */
export function requestScopes(
  singletons: ReadonlyMap<string, unknown>,
  sources: readonly Source[],
  logger: ProjectLogger,
): RequestScopes {
  class RequestCtx implements RuntimeCtx {
    declare readonly logger: CtxLogger;
    readonly #state: RequestState;
    /** The key of the value whose factory reads through this ctx; undefined for a handler. */
    readonly #owner: string | undefined;

    constructor(state: RequestState, owner?: string) {
      this.#state = state;
      this.#owner = owner;
      // An assignment to a misspelled key would be lost silently.
      Object.preventExtensions(this);
    }

    static loggerOf(ctx: RequestCtx): Logger {
      return ctx.#state.logger;
    }

    static originOf(ctx: RequestCtx): unknown {
      return ctx.#state.origin;
    }

    static read(ctx: RequestCtx, source: Source): unknown {
      const state = ctx.#state;
      const { key, file, provider } = source;
      if (state.hasEnded) throw coded('FWK308', new Error(`ctx.${key} was read after its request had ended`));
      if (ctx.#owner !== undefined) {
        const cycle = state.reads.cycle(ctx.#owner, key);
        if (cycle)
          throw coded('FWK303', new Error(`${file} is in a cycle of request values: ${cycle.join(' → ')}`));
        state.reads.add(ctx.#owner, key);
      }
      if (provider.lifetime === 'session') return RequestCtx.#visitors(state, source);
      if (provider.lifetime !== 'request') return notScoped(source, provider.lifetime);
      if (state.values.has(key)) return state.values.get(key);
      const onDestroy = (close: () => unknown) => state.onDestroy(file, close);
      const value = provider.make(new RequestCtx(state, key), { onDestroy, req: state.req });
      const given = state.made(source, value);
      state.values.set(key, given);
      return given;
    }

    static assign(ctx: RequestCtx, source: Source, value: unknown): void {
      const { key, file, provider } = source;
      if (provider.lifetime !== 'session')
        refuseAssignment(key, `${file} provides a ${provider.lifetime} value`);
      if (ctx.#state.hasEnded)
        throw coded('FWK308', new Error(`ctx.${key} was assigned after its request had ended`));
      if (ctx.#owner === key)
        throw coded(
          'FWK303',
          new Error(`${file} assigns ctx.${key} while it creates the value: return it instead`),
        );
      RequestCtx.#sessionFor(ctx.#state, source).assign(key, value);
    }

    static #visitors(state: RequestState, source: Source): unknown {
      const { key, file, provider } = source;
      const noDestroy = () => {
        throw coded(
          'FWK309',
          new Error(`${file} has no onDestroy: a session value is data and outlives the request`),
        );
      };
      const tools = { onDestroy: noDestroy, req: state.req };
      return RequestCtx.#sessionFor(state, source).value(key, () =>
        state.made(source, provider.make(new RequestCtx(state, key), tools)),
      );
    }

    static #sessionFor(state: RequestState, { key, file }: Source): Session {
      const session = sessionOf(state.origin);
      if (session) return session;
      throw coded(
        'FWK311',
        new Error(
          `ctx.${key} (${file}) is a session value, and there is no visitor here: read it in a request, with the plugin "session" enabled`,
        ),
      );
    }
  }

  const outside = {};
  Object.defineProperty(RequestCtx.prototype, 'logger', loggerProperty(RequestCtx.loggerOf));
  Object.defineProperty(
    outside,
    'logger',
    loggerProperty(() => logger.current),
  );
  for (const source of sources) {
    const { key, provider } = source;
    const { lifetime } = provider;
    if (lifetime === 'singleton') {
      const value = singletons.get(key);
      Object.defineProperty(RequestCtx.prototype, key, constantProperty(value, source, RequestCtx.originOf));
      Object.defineProperty(
        outside,
        key,
        constantProperty(value, source, () => undefined),
      );
      continue;
    }
    provide<RequestCtx>(RequestCtx.prototype, key, {
      get() {
        return RequestCtx.read(this, source);
      },
      set(value) {
        RequestCtx.assign(this, source, value);
      },
    });
    const refuse = () => refuseOutside(source, lifetime);
    // Not enumerable, so that code that lists or copies the other properties doesn't trigger it.
    provide(outside, key, { get: refuse, set: refuse }, false);
  }

  const ending = new Set<Promise<void>>();
  return {
    light: undefined,
    outside: Object.freeze(outside) as RuntimeCtx,
    open(origin) {
      const state = new RequestState(origin as Origin, logger);
      return { ctx: new RequestCtx(state), close: () => track(state.end()) };
    },
    async ended() {
      await settledWithin(Promise.all(ending), END_TIMEOUT_MS);
    },
  };

  async function track(end: Promise<void> | undefined): Promise<void> {
    if (end === undefined) return;
    ending.add(end);
    await end;
    ending.delete(end);
  }
}

/** A new lifetime must be handled in `RequestCtx.read`; otherwise this call does not compile. */
function notScoped({ key }: Source, lifetime: 'singleton'): never {
  throw new Error(`ctx.${key} has the lifetime ${lifetime}, for which scopes create no values`);
}

function refuseOutside({ key, file }: Source, lifetime: ScopedLifetime): never {
  throw coded(
    'FWK311',
    new Error(
      `ctx.${key} (${file}) lives for one ${LIVES_FOR[lifetime]}, and there is no ${LIVES_FOR[lifetime]} here: use it in app.run((ctx) => …)`,
    ),
  );
}

type Origin = HttpRequest | Guest | undefined;

interface PromisedValue {
  readonly file: string;
  readonly observed: Observation;
}

/** How long the end of a scope waits for user code that is still running, in milliseconds. */
const END_TIMEOUT_MS = 10_000;

/** The values of one scope, from its beginning to its end. */
class RequestState {
  readonly req: HttpRequest | undefined;
  readonly values = new Map<string, unknown>();
  readonly reads = new Dependencies();
  hasEnded = false;
  readonly #project: ProjectLogger;
  #logger: Logger | undefined;
  readonly #closers: { readonly file: string; readonly close: () => unknown }[] = [];
  #promised: PromisedValue[] | undefined;
  /** Set when the scope has ended: `onDestroy` callbacks then run immediately, and rejections are logged. */
  #isOver = false;

  constructor(
    readonly origin: Origin,
    logger: ProjectLogger,
  ) {
    this.req = origin instanceof Guest ? undefined : origin;
    this.#project = logger;
  }

  get logger(): Logger {
    this.#logger ??= scopeLogger(this.#project.current, this.origin);
    return this.#logger;
  }

  onDestroy(file: string, close: () => unknown): void {
    // The code still ran after the scope had ended: the resources that it opened must be closed.
    if (this.#isOver) void this.#close(file, close);
    else this.#closers.push({ file, close });
  }

  /** Wrap a factory's value before it is handed out: a rejected promise must not end the process. */
  made({ file }: Source, value: unknown): unknown {
    const observed = observe(value, () => {
      if (this.#isOver && observed) this.#logUnhandled(file, observed);
    });
    if (observed === undefined) return value;
    this.#promised ??= [];
    this.#promised.push({ file, observed });
    return observed.promise;
  }

  /** End the values, last created first. Never rejects. Returns a promise only if it has to wait. */
  end(): Promise<void> | undefined {
    if (this.hasEnded) return undefined;
    this.hasEnded = true;
    const pending = this.#promised?.filter(({ observed }) => observed.isPending()) ?? [];
    const isAtRest = pending.length === 0 && this.#closers.length === 0;
    if (!isAtRest || sessionOf(this.origin) !== undefined) return this.#end(pending);
    this.#finish();
    return undefined;
  }

  async #end(pending: readonly PromisedValue[]): Promise<void> {
    // Values that are still being created may register callbacks, and may need values that end after them.
    if (pending.length > 0)
      await settledWithin(Promise.all(pending.map(({ observed }) => observed.settled)), END_TIMEOUT_MS);
    for (let last = this.#closers.pop(); last; last = this.#closers.pop())
      await this.#close(last.file, last.close);
    try {
      await sessionOf(this.origin)?.close();
    } catch (thrown) {
      logSafely(this.logger, 'error', `${this.#served} could not store its session`, thrown);
    }
    this.#finish();
  }

  #finish(): void {
    this.#isOver = true;
    for (const { file, close } of this.#closers.splice(0)) void this.#close(file, close);
    for (const { file, observed } of this.#promised ?? []) this.#logUnhandled(file, observed);
  }

  async #close(file: string, close: () => unknown): Promise<void> {
    try {
      await inTime(close());
    } catch (thrown) {
      logSafely(this.logger, 'error', `onDestroy of ${file} failed`, thrown);
    }
  }

  #logUnhandled(file: string, observed: Observation): void {
    const unhandled = observed.unhandled();
    if (unhandled === undefined) return;
    const message = `${file} failed for ${this.#served}, and nothing awaited it`;
    logSafely(this.logger, 'error', message, unhandled.thrown);
  }

  get #served(): string {
    if (this.origin instanceof Guest) return this.origin.name;
    return this.req ? `${this.req.method} ${this.req.path}` : 'a scope without a request';
  }
}
