import { type REPLServer, type ReplOptions, start } from 'node:repl';
import { PassThrough } from 'node:stream';
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
