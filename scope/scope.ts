import { coded, type Logger, type Project, slotKey } from '../kernel/index.js';
import { type ProjectLogger, projectLogger } from './project-logger.js';
import { type CtxLogger, loggerProperty, scopeLogger } from './scope-logger.js';

/** The `ctx` that handlers, jobs and tools get. The generated types add one property per file in `services/` and `di/`. */
export interface RuntimeCtx {
  readonly logger: CtxLogger;
}

/** The life of one request, socket or call. */
export interface Scope {
  readonly ctx: RuntimeCtx;
  /** Dispose of what the scope made, in reverse order. Never rejects: failures are logged. */
  close(): Promise<void>;
}

export interface Scopes {
  /** Makes the `ctx` of a scope where none has anything to dispose of, so that it need not be closed; else undefined. */
  readonly light: ((origin: unknown) => RuntimeCtx) | undefined;
  /** The `ctx` of what belongs to no scope: it has what lives as long as the app. */
  readonly outside: RuntimeCtx;
  /** Begin a scope. `origin` is what it serves (a request, say), for values that are made from it. */
  open(origin: unknown): Scope;
}

const SCOPES = slotKey<{ scopes: Scopes }>('scope.scopes');

const slotOf = (project: Project) =>
  project.slot(SCOPES, () => ({ scopes: lightScopes(projectLogger(project)) }));

/** Where the `ctx` of a project comes from. Known once the project has resolved: read it when it is served. */
export const scopesOf = (project: Project): Scopes => slotOf(project).scopes;

/** Replace the scopes of a project, whose `ctx` has a logger alone, while it resolves. */
export function setScopes(project: Project, scopes: Scopes): void {
  slotOf(project).scopes = scopes;
}

/** Scopes that have nothing of their own but a logger. All share `members`, and none can be given more. */
export function lightScopes(logger: ProjectLogger, members: PropertyDescriptorMap = {}): Scopes {
  const own = loggerProperty(() => logger.current);
  const outside = Object.freeze(Object.defineProperties({}, { ...members, logger: own })) as RuntimeCtx;
  class Ctx implements RuntimeCtx {
    declare readonly logger: CtxLogger;
    readonly #origin: unknown;
    #logger: Logger | undefined;

    constructor(origin: unknown) {
      this.#origin = origin;
    }

    static loggerOf(ctx: Ctx): Logger {
      ctx.#logger ??= scopeLogger(logger.current, ctx.#origin);
      return ctx.#logger;
    }
  }
  Object.defineProperties(Ctx.prototype, { ...members, logger: loggerProperty(Ctx.loggerOf) });
  // Found behind what there is: an object that is made not to be extensible takes longer to make.
  Object.setPrototypeOf(Ctx.prototype, new Proxy({}, { set: refuseKey }));
  const light = (origin: unknown) => new Ctx(origin);
  return { light, outside, open: (origin) => ({ ctx: light(origin), close: async () => {} }) };
}

function refuseKey(_: object, key: string | symbol): never {
  throw coded('FWK313', `Cannot add property ${String(key)}, object is not extensible`);
}
