import { coded, type Logger, type Project, slotKey } from '../kernel/index.js';
import { type ProjectLogger, projectLogger } from './project-logger.js';
import { type CtxLogger, loggerProperty, scopeLogger } from './scope-logger.js';

/** The `ctx` of handlers, jobs and tools. The generated types add one property per file in `services/` and `di/`. */
export interface RuntimeCtx {
  readonly logger: CtxLogger;
}

/** The scope of one request, socket or call. */
export interface Scope {
  readonly ctx: RuntimeCtx;
  /** Dispose of the values that the scope created, in reverse order. Never rejects: failures are logged. */
  close(): Promise<void>;
}

export interface Scopes {
  /** Creates the `ctx` of a scope that need not be closed; undefined if its values do. */
  readonly light: ((origin: unknown) => RuntimeCtx) | undefined;
  /** The `ctx` outside of any scope: it holds the singletons. */
  readonly outside: RuntimeCtx;
  /** Begin a scope. `origin` is the object that it serves (a request, for example), from which values are made. */
  open(origin: unknown): Scope;
}

const SCOPES = slotKey<{ scopes: Scopes }>('scope.scopes');

const slotOf = (project: Project) =>
  project.slot(SCOPES, () => ({ scopes: lightScopes(projectLogger(project)) }));

/** Source of the `ctx` of a project. Known once the project is resolved: read it while serving. */
export const scopesOf = (project: Project): Scopes => slotOf(project).scopes;

/** Replace the scopes of a project, whose `ctx` only has a logger, while it is resolved. */
export function setScopes(project: Project, scopes: Scopes): void {
  slotOf(project).scopes = scopes;
}

/** The prototype of every `ctx` with these properties. Versions with the same values can share it. */
export const ctxMembers = (properties: PropertyDescriptorMap): object => Object.create(CLOSED, properties);

/** Rejects new properties. Creating a non-extensible object for each request would take longer. */
const CLOSED: object = new Proxy({}, { set: refuseKey });

const NO_MEMBERS = ctxMembers({});

/** Properties whose value depends on the scope. `originOf` returns the origin of the scope of a `ctx`. */
type ScopedMembers = (originOf: (ctx: object) => unknown) => PropertyDescriptorMap;

/** Scopes whose only own member is a logger. All share `members`, and no member can be added. */
export function lightScopes(
  logger: ProjectLogger,
  members = NO_MEMBERS,
  scoped: ScopedMembers = () => ({}),
): Scopes {
  let outside: RuntimeCtx | undefined;
  class Ctx implements RuntimeCtx {
    declare readonly logger: CtxLogger;
    readonly #origin: unknown;
    #logger: Logger | undefined;

    constructor(origin: unknown) {
      this.#origin = origin;
    }

    static originOf(ctx: object): unknown {
      return (ctx as Ctx).#origin;
    }

    static loggerOf(ctx: Ctx): Logger {
      ctx.#logger ??= scopeLogger(logger.current, ctx.#origin);
      return ctx.#logger;
    }
  }
  Object.defineProperties(Ctx.prototype, { ...scoped(Ctx.originOf), logger: loggerProperty(Ctx.loggerOf) });
  Object.setPrototypeOf(Ctx.prototype, members);
  const light = (origin: unknown) => new Ctx(origin);
  return {
    light,
    // Made when it is read, which few versions do: hundreds of services take a millisecond.
    get outside() {
      outside ??= Object.freeze(
        Object.defineProperties({} as RuntimeCtx, {
          ...Object.getOwnPropertyDescriptors(members),
          ...scoped(() => undefined),
          logger: loggerProperty(() => logger.current),
        }),
      );
      return outside;
    },
    open: (origin) => ({ ctx: light(origin), close: async () => {} }),
  };
}

function refuseKey(_: object, key: string | symbol): never {
  throw coded('FWK313', `Cannot add property ${String(key)}, object is not extensible`);
}
