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

/** Whether a message is a request, whose sender expects an answer. */
export const isRequest = (
  message: Message,
): message is Message & { readonly id: RequestId; readonly method: string } =>
  message.method !== undefined && message.id !== undefined && message.id !== null;

/** Whether a message answers a request. */
export const isResponse = (message: Message): boolean =>
  message.method === undefined && message.id !== undefined;

export const isMessage = (value: unknown): value is Message => {
  if (typeof value !== 'object' || value === null || !('jsonrpc' in value) || value.jsonrpc !== '2.0')
    return false;
  const { id, method, params }: Partial<Record<keyof Message, unknown>> = value;
  if (id !== undefined && id !== null && typeof id !== 'string' && !Number.isInteger(id)) return false;
  if (params !== undefined && (typeof params !== 'object' || params === null || Array.isArray(params)))
    return false;
  if (method !== undefined) return typeof method === 'string' && id !== null;
  return id !== undefined && ('result' in value || 'error' in value);
};
