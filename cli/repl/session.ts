import { type REPLServer, Recoverable, type ReplOptions, start } from 'node:repl';
import { PassThrough } from 'node:stream';
import { similar } from '../../app/similar.js';
import { isObject, type Project } from '../../kernel/index.js';
import { providersOf } from '../../plugins/context/index.js';

/** Node's own prompt. Its code runs in the realm of the modules: a `Date` of another realm would fail `instanceof` checks. */
export const startPrompt = (options: ReplOptions): REPLServer => start({ useGlobal: true, ...options });

/** The value of the last statement of `code`, which may use `await`. Rejects with the error that the code throws, or a syntax error. */
export async function evaluate(code: string): Promise<unknown> {
  const output = new PassThrough({ encoding: 'utf8' });
  const server = startPrompt({ input: new PassThrough(), output, prompt: '', terminal: false });
  try {
    return await new Promise((resolve, reject) => {
      // The REPL reports errors to the user instead of the caller, and stores them in this variable.
      output.on('data', (text: string) => {
        if (text.includes('Uncaught')) reject(Reflect.get(globalThis, '_error'));
      });
      server.eval(code, server.context, 'script', (thrown: unknown, value: unknown) => {
        if (thrown === null || thrown === undefined) resolve(value);
        else reject(unwrapped(thrown));
      });
    });
  } finally {
    server.close();
  }
}

/** The REPL asks for more input if code ends too early. */
const unwrapped = (thrown: unknown): unknown =>
  thrown instanceof Error && 'err' in thrown && thrown.err instanceof Error ? thrown.err : thrown;

type AskRoute = (path: string, init?: RequestInit & { readonly body?: unknown }) => Promise<Response>;

const ORIGIN = 'http://localhost';
/** Requests look like a browser's requests from a page of the app. */
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

/** Like `fetch`, for paths of the app: plain objects and arrays are sent as JSON. */
export const askBy =
  (fetch: (request: Request) => Promise<Response>): AskRoute =>
  (path, { body, headers, ...init } = {}) => {
    const isJson = isPlain(body);
    const all = new Headers({ ...OWN_PAGE, ...(isJson && { 'content-type': 'application/json' }) });
    new Headers(headers).forEach((value, name) => {
      all.set(name, value);
    });
    const sent = isJson ? JSON.stringify(body) : (body as NonNullable<RequestInit['body']> | undefined);
    const request = new Request(new URL(path, ORIGIN), {
      redirect: 'manual',
      ...init,
      headers: all,
      ...(sent !== undefined && { body: sent, method: init.method ?? 'POST' }),
    });
    return fetch(request);
  };

const isPlain = (value: unknown): boolean =>
  Array.isArray(value) ||
  (isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value)));

/** Define these names as globals, like `fetch`, because code at the prompt is not in a module. */
export function install({ ctx, request }: { readonly ctx: () => unknown; readonly request: AskRoute }): void {
  Object.defineProperty(globalThis, 'ctx', { get: ctx, configurable: true });
  Object.defineProperty(globalThis, 'request', { value: request, configurable: true, writable: true });
}

export const keysOf = (project: Project | undefined): readonly string[] => [
  ...(project ? providersOf(project) : []).map(({ key }) => key).sort(),
  'logger',
];

const NAME = '[\\p{ID_Start}$_][\\p{ID_Continue}$]*';
const READ = new RegExp(`(?<![\\p{ID_Continue}$.])ctx\\s*\\??\\.\\s*(${NAME})`, 'gu');
const TAKEN = /\{([^{}]*)\}\s*=\s*ctx(?![\p{ID_Continue}$.?[])/gu;
const NOT_DEFINED = new RegExp(`^(${NAME}) is not defined$`, 'u');

/** Suggestions for unknown names in `code`, one sentence each. Most unknown keys only evaluate to undefined, so `thrown` may be absent. */
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
  // A thrown error is only passed to the writer.
  const write = (value: unknown): string => {
    const hints = thrower === '' || !(value instanceof Error) ? [] : hintsOn(thrower, ctx(), value);
    return [writer.call(server, value), ...hints].join('\n');
  };
  Object.assign(server, { eval: hinted, writer: Object.assign(write, writer) });
}

function keysRead(code: string): readonly string[] {
  const read = [...code.matchAll(READ)].map(([, key = '']) => key);
  const taken = [...code.matchAll(TAKEN)].flatMap(([, names = '']) =>
    names.split(',').map((one) => one.split(/[:=]/, 1).join().trim()),
  );
  return [...new Set([...read, ...taken])].filter((key) => key !== '' && !key.startsWith('...'));
}

/** Includes inherited properties, because values of `ctx` are accessors of its prototype. */
function namesIn(ctx: object): readonly string[] {
  const names: string[] = [];
  for (const name in ctx) names.push(name);
  return names.sort();
}

/** A value of `ctx` without its `ctx.`, or a global with a similar name. */
function globalLike(name: string, keys: readonly string[]): readonly string[] {
  const globals = ['ctx', 'request', ...Object.getOwnPropertyNames(globalThis)];
  const key = keys.includes(name) ? name : undefined;
  const near = key === undefined ? similar(name, globals) : undefined;
  const meant = near ?? key ?? similar(name, keys);
  if (meant === undefined) return [];
  return [`Did you mean "${near === undefined ? 'ctx.' : ''}${meant}"?`];
}
