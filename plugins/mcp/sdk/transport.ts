import { parse } from 'secure-json-parse';
import { isDeeper } from '../../http/internal.js';
import { INVALID_REQUEST, RpcError } from '../calls/client.js';

export type { Implementation, ServerCapabilities } from '@modelcontextprotocol/server';

/** A JSON-RPC message (JSON-RPC 2.0 §4, §5). The receiver checks its shape. */
export interface Message {
  readonly jsonrpc: '2.0';
  readonly id?: string | number | null | undefined;
  readonly method?: string | undefined;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly result?: unknown;
  readonly error?: unknown;
}

export type RequestId = string | number;

/** Carries messages between client and server. `on…` is set before `start`; `extra` is passed on. */
export interface Transport {
  onmessage?: (message: Message, extra?: { readonly authInfo: object }) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  start(): Promise<void>;
  /** Send a message from the server, which may belong to a request from the client. */
  send(message: Message, options?: { readonly relatedRequestId?: RequestId }): Promise<void>;
  close(): Promise<void>;
}

/** Parse a message, which `name` names in errors. Throws an RpcError if it is not JSON or deeper than `maxDepth` levels. */
export function parseMessage(text: string, maxDepth: number, name: 'body' | 'line'): unknown {
  if (isDeeper(text, maxDepth))
    throw new RpcError(INVALID_REQUEST, `The ${name} is nested deeper than the limit of ${maxDepth} levels`);
  try {
    return parse(text, null, { protoAction: 'remove', constructorAction: 'remove' });
  } catch {
    throw new RpcError(-32700, `The ${name} is not valid JSON`);
  }
}

/** The message for a client that reuses the ID of a request that has no answer yet (JSON-RPC 2.0 §4). */
export const idInUse = (id: RequestId): string =>
  `The id ${JSON.stringify(id)} is already in use: give each request a unique id`;

export const NO_ROOM = 'The server does not have enough memory for this request now: try again later';

/** Whether a message is a request, whose sender expects an answer. */
export const isRequest = (
  message: Message,
): message is Message & { readonly id: RequestId; readonly method: string } =>
  message.method !== undefined && message.id !== undefined && message.id !== null;

/** Whether a message answers a request. */
export const isResponse = (message: Message): message is Message & { readonly id: RequestId } =>
  message.method === undefined && message.id !== undefined && message.id !== null;
