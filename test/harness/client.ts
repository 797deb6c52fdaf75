import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as published from '../../client/index.js';
import { installed } from './installed.js';

// The published typed client without a project's types: at runtime it accepts every path and method.

interface AnyOperation {
  readonly params: Record<string, unknown> | undefined;
  readonly query: Record<string, unknown> | undefined;
  readonly headers: Record<string, unknown> | undefined;
  readonly body: unknown;
  readonly ok: { readonly default: unknown };
  readonly failed: Record<never, never>;
}

interface AnySocket extends Pick<AnyOperation, 'params' | 'query'> {
  readonly sent: unknown;
  readonly received: unknown;
}

type AnyMethods = Record<'get' | 'post' | 'put' | 'patch' | 'del' | 'head' | 'options', AnyOperation> & {
  readonly ws: AnySocket;
};

export type AnyClient = published.Client<Record<string, AnyMethods>>;

/** The file that is published. */
export const clientFile = path.join(installed(), 'node_modules/fwkit/dist/bundle/client.js');

const client = (await import(pathToFileURL(clientFile).href)) as typeof published;

export const { data } = client;

export const clientOf = (base: string | URL, options?: published.ClientOptions): AnyClient =>
  client.createClient(base, options);

/** The file of another published entry of the client. */
export const entryFile = (name: 'query' | 'resilient'): string => clientFile.replace('.js', `-${name}.js`);

/** A client, regardless of the routes in its types. */
export const untyped = (client: object): AnyClient => client as AnyClient;

/** The result of a call, without its Response. */
export async function resultOf(call: Promise<{ readonly response: Response }>): Promise<unknown> {
  const { response, ...rest } = await call;
  return rest;
}

/** The error of a call. */
export async function rejected(call: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  const resolved = await call.catch((error) => ({ error }));
  if (typeof resolved === 'object' && resolved && 'error' in resolved && resolved.error instanceof Error)
    return Object.assign(resolved.error);
  throw new Error('The call resolved.');
}

/** The events of a successful call, until `enough` have arrived. */
export async function events(
  call: Promise<{ readonly ok: boolean; readonly status: number; readonly data?: unknown }>,
  enough = Number.POSITIVE_INFINITY,
) {
  const all: published.ServerEvent<unknown>[] = [];
  for await (const event of (await data(call)) as AsyncIterable<published.ServerEvent<unknown>>) {
    all.push(event);
    if (all.length === enough) break;
  }
  return all;
}
