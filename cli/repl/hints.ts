import { type REPLServer, Recoverable } from 'node:repl';
import { similar } from '../../app/similar.js';
import { isObject } from '../../kernel/internal.js';

const NAME = '[\\p{ID_Start}$_][\\p{ID_Continue}$]*';
const READ = new RegExp(`(?<![\\p{ID_Continue}$.])ctx\\s*\\??\\.\\s*(${NAME})`, 'gu');
const TAKEN = /\{([^{}]*)\}\s*=\s*ctx(?![\p{ID_Continue}$.?[])/gu;
const NOT_DEFINED = new RegExp(`^(${NAME}) is not defined$`, 'u');

/**
 * What people may have meant by names in `code` that are nowhere, a sentence each.
 *
 * @param thrown what the code has thrown, if anything: undefined is what most unknown keys are read for
 */
export function hintsOn(code: string, ctx: unknown, thrown?: unknown): readonly string[] {
  if (!isObject(ctx)) return [];
  const keys = namesIn(ctx);
  const unknown = keysRead(code).filter((key) => !(key in ctx));
  const ofKeys = unknown.flatMap((key) => {
    const meant = similar(key, keys);
    if (meant !== undefined) return [`ctx has no "${key}". Did you mean "${meant}"?`];
    return thrown instanceof TypeError ? [`ctx has no "${key}". It has ${keys.join(', ')}.`] : [];
  });
  const [, name] = thrown instanceof ReferenceError ? (NOT_DEFINED.exec(thrown.message) ?? []) : [];
  return name === undefined ? ofKeys : [...ofKeys, ...globalLike(name, keys)];
}

/** Have hints stand before the value of a line, and behind what it throws. */
export function addHints(server: REPLServer, ctx: () => unknown): void {
  const { eval: evaluate, writer } = server;
  let thrower = '';
  const hinted: typeof evaluate = (code, context, file, done) => {
    thrower = code;
    evaluate.call(server, code, context, file, (thrown, value) => {
      const hasEnded = thrown === null || thrown === undefined;
      if (hasEnded || thrown instanceof Recoverable) thrower = '';
      if (hasEnded) for (const hint of hintsOn(code, ctx())) console.error(hint);
      done(thrown, value);
    });
  };
  // What is thrown reaches nothing but what writes it.
  const write = (value: unknown): string => {
    const hints = thrower === '' || !(value instanceof Error) ? [] : hintsOn(thrower, ctx(), value);
    return [writer.call(server, value), ...hints].join('\n');
  };
  Object.assign(server, { eval: hinted, writer: Object.assign(write, writer) });
}

/** The keys of `ctx` that stand in `code`, each once: behind the dot, or in braces that it is taken apart with. */
function keysRead(code: string): readonly string[] {
  const read = [...code.matchAll(READ)].map(([, key = '']) => key);
  const taken = [...code.matchAll(TAKEN)].flatMap(([, names = '']) =>
    names.split(',').map((one) => one.split(/[:=]/, 1).join().trim()),
  );
  return [...new Set([...read, ...taken])].filter((key) => key !== '' && !key.startsWith('...'));
}

/** Inherited ones, too: values of `ctx` are accessors of its prototype. */
function namesIn(ctx: object): readonly string[] {
  const names: string[] = [];
  for (const name in ctx) names.push(name);
  return names.sort();
}

/** A value of `ctx` without its `ctx.`, or a global that is written nearly so. */
function globalLike(name: string, keys: readonly string[]): readonly string[] {
  const globals = ['ctx', 'request', ...Object.getOwnPropertyNames(globalThis)];
  const key = keys.includes(name) ? name : undefined;
  const near = key === undefined ? similar(name, globals) : undefined;
  const meant = near ?? key ?? similar(name, keys);
  if (meant === undefined) return [];
  return [`Did you mean "${near === undefined ? 'ctx.' : ''}${meant}"?`];
}
