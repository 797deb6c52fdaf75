import { isObject, type Project } from '../../kernel/internal.js';

/** What code at the prompt has beside what Node has. */
export interface Globals {
  readonly ctx: () => unknown;
  readonly request: AskRoute;
}

/** Calls a route without a port. */
export type AskRoute = (path: string, init?: RequestInit & { readonly body?: unknown }) => Promise<Response>;

const ORIGIN = 'http://localhost';
/** A request is that of a page of the app itself, as a browser sends it. */
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

/** As `fetch`, for paths of the app: plain objects and lists are sent as JSON. */
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

/** Have code of this process find them by their names, as it finds `fetch`: code at the prompt is in no module. */
export function install({ ctx, request }: Globals): void {
  Object.defineProperty(globalThis, 'ctx', { get: ctx, configurable: true });
  Object.defineProperty(globalThis, 'request', { value: request, configurable: true, writable: true });
}

/** The keys of `ctx`, for people. */
export const keysOf = (project: Project | undefined): readonly string[] => [
  ...(project?.providers ?? []).map(({ key }) => key).sort(),
  'logger',
];
