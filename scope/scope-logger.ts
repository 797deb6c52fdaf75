import { coded, type Logger } from '../kernel/index.js';

/** Filled by the generated types if the project's own logger replaces the framework's. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging.
export interface ProjectLoggers {}

/** The type of `ctx.logger`. */
export type CtxLogger = ProjectLoggers extends { readonly logger: infer Own } ? Own : Logger;

/** The member of an origin with the fields of its log lines, such as an id. Read for the first line. */
export const logFields = Symbol.for('fwkit.logFields');

/** The logger for the scope of `origin`: the project's logger itself, if it cannot create children. */
export function scopeLogger(logger: Logger, origin: unknown): Logger {
  const fields = (origin as { readonly [logFields]?: Readonly<Record<string, unknown>> } | undefined)?.[
    logFields
  ];
  if (fields === undefined) return logger;
  try {
    return logger.child(fields);
  } catch {
    return logger;
  }
}

export const loggerProperty = <Ctx>(get: (ctx: Ctx) => Logger): PropertyDescriptor & ThisType<Ctx> => ({
  get() {
    return get(this);
  },
  set() {
    const why = 'it is the framework’s own, and only values with the lifetime "session" can be';
    throw coded('FWK313', `ctx.logger cannot be assigned: ${why}`);
  },
  enumerable: true,
});
