import {
  type CtxLogger,
  coded,
  type Logger,
  loggerProperty,
  type ProjectLogger,
  type RuntimeCtx,
  type Scopes,
} from '../../kernel/index.js';
import { constant, provide, refuseAssignment } from './property.js';
import { LIVES_FOR, type ScopedLifetime } from './provider.js';
import { END_TIMEOUT_MS, type Origin, RequestState } from './request-state.js';
import { type Session, sessionOf } from './session.js';
import { settledWithin } from './settled-within.js';
import type { Source } from './singleton-instance.js';

/** Scopes, and what resolves when those that are ending have ended. */
export interface RequestScopes extends Scopes {
  readonly ended: () => Promise<void>;
}

/**
 * Scopes in which every request value is made when it is first read, once, and session values are the visitor's. The
 * class of their `ctx` is made once: all its properties are accessors of its prototype.
 */
export function requestScopes(
  singletons: ReadonlyMap<string, unknown>,
  sources: readonly Source[],
  logger: ProjectLogger,
): RequestScopes {
  class RequestCtx implements RuntimeCtx {
    declare readonly logger: CtxLogger;
    readonly #state: RequestState;
    /** The value whose factory reads through this ctx; undefined for a handler. */
    readonly #owner: string | undefined;

    constructor(state: RequestState, owner?: string) {
      this.#state = state;
      this.#owner = owner;
      // A misspelt key that is assigned would be lost without a word.
      Object.preventExtensions(this);
    }

    static loggerOf(ctx: RequestCtx): Logger {
      return ctx.#state.logger;
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
        throw coded('FWK303', new Error(`${file} assigns ctx.${key} while it makes it: return it instead`));
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
          `ctx.${key} (${file}) belongs to one visitor, and there is none here: read it while a request is answered, with the plugin "session" enabled`,
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
      const access = constant(singletons.get(key), source);
      Object.defineProperty(RequestCtx.prototype, key, access);
      Object.defineProperty(outside, key, access);
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
    // Not enumerable: what lists or copies the others must not run into it.
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

/** A lifetime that is new has to be read by `RequestCtx.read`: it does not compile here. */
function notScoped({ key }: Source, lifetime: 'singleton'): never {
  throw new Error(`ctx.${key} is a ${lifetime}, which no scope makes`);
}

function refuseOutside({ key, file }: Source, lifetime: ScopedLifetime): never {
  throw coded(
    'FWK311',
    new Error(
      `ctx.${key} (${file}) lives for one ${LIVES_FOR[lifetime]}, and there is none here: use it in app.run((ctx) => …)`,
    ),
  );
}
