import type { Logger, RuntimeCtx, Scope, Scopes } from '../../kernel/index.js';
import type { CloveRequest } from '../http/index.js';
import { Dependencies } from './dependencies.js';
import { Guest, sessionOf } from './session.js';
import type { Source } from './slot.js';

/** What one request has made so far. */
interface RequestState {
  readonly req: CloveRequest | undefined;
  readonly origin: CloveRequest | Guest | undefined;
  readonly values: Map<string, unknown>;
  readonly closers: { readonly file: string; readonly close: () => unknown }[];
  readonly reads: Dependencies;
  ended: boolean;
}

/**
 * Scopes in which every request value is made when it is first read, once, and session values are the visitor's. The
 * class of their `ctx` is made once: singletons are plain properties of its prototype, the others are getters there.
 */
export function requestScopes(
  singletons: ReadonlyMap<string, unknown>,
  sources: readonly Source[],
  logger: Logger,
): Scopes {
  class RequestCtx implements RuntimeCtx {
    declare readonly logger: Logger;
    readonly #state: RequestState;
    /** The value whose factory reads through this ctx; undefined for a handler. */
    readonly #owner: string | undefined;

    constructor(state: RequestState, owner?: string) {
      this.#state = state;
      this.#owner = owner;
    }

    static read(ctx: RequestCtx, source: Source): unknown {
      const state = ctx.#state;
      const { key, file, provider } = source;
      if (state.ended) throw new Error(`ctx.${key} was read after its request had ended`);
      if (ctx.#owner !== undefined) {
        const cycle = state.reads.cycle(ctx.#owner, key);
        if (cycle) throw new Error(`${file} is in a cycle of request values: ${cycle.join(' → ')}`);
        state.reads.add(ctx.#owner, key);
      }
      if (provider.lifetime === 'session') return RequestCtx.#visitors(state, source);
      if (state.values.has(key)) return state.values.get(key);
      const onDestroy = (close: () => unknown) => void state.closers.push({ file, close });
      const value = provider.make(new RequestCtx(state, key), { onDestroy, req: state.req });
      state.values.set(key, value);
      return value;
    }

    static #visitors(state: RequestState, { key, file, provider }: Source): unknown {
      const { req, origin } = state;
      const session = sessionOf(origin);
      if (!session)
        throw new Error(
          `ctx.${key} (${file}) belongs to one visitor, and there is none here: read it while a request is answered, with the plugin "session" enabled`,
        );
      const noDestroy = () => {
        throw new Error(`${file} has no onDestroy: a session value is data and outlives the request`);
      };
      return session.value(key, () =>
        provider.make(new RequestCtx(state, key), { onDestroy: noDestroy, req }),
      );
    }
  }

  for (const [key, value] of [...singletons, ['logger', logger] as const])
    Object.defineProperty(RequestCtx.prototype, key, { value, enumerable: true });
  for (const source of sources)
    Object.defineProperty(RequestCtx.prototype, source.key, {
      enumerable: true,
      get(this: RequestCtx) {
        return RequestCtx.read(this, source);
      },
    });

  return {
    shared: undefined,
    open(origin): Scope {
      const served = origin as CloveRequest | Guest | undefined;
      const state: RequestState = {
        req: served instanceof Guest ? undefined : served,
        origin: served,
        values: new Map(),
        closers: [],
        reads: new Dependencies(),
        ended: false,
      };
      return { ctx: new RequestCtx(state), close: () => end(state, logger) };
    },
  };
}

async function end(state: RequestState, logger: Logger): Promise<void> {
  if (state.ended) return;
  state.ended = true;
  for (let last = state.closers.pop(); last; last = state.closers.pop()) {
    try {
      await last.close();
    } catch (thrown) {
      logger.error(`onDestroy of ${last.file} failed:`, thrown);
    }
  }
  await sessionOf(state.origin)?.close();
}
