import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { maskedTarget } from './masking.js';
import type { Failing, Noted, ReloadMessage } from './messages.js';
import type { OpenSocket } from './sockets.js';

/** Who hears what is published in a process. */
export interface Listener extends Noted {
  /** `raw`: the request that failed, where it was one. Anything can be thrown, `undefined` too. */
  fail(thrown: unknown, where: string, raw?: IncomingMessage): void;
  changed(): void;
}

/** Has `listener` hear what is published of reloads, errors and sockets. Returns a function that ends it. */
export function openChannels(listener: Listener): () => void {
  const failed = (what: (message: Failing) => string) => (message: unknown) => {
    const given = message as Failing;
    listener.fail(given.error, what(given), given.raw);
  };
  const callFailed = failed(({ method, target }) => `MCP ${method ?? ''} ${target ?? ''}`);
  const handlers: Readonly<Record<string, (message: unknown) => void>> = {
    'fwk.reload': (message) => listener.reloaded(message as ReloadMessage),
    'fwk.request.error': failed(({ raw }) => `${raw?.method ?? ''} ${maskedTarget(raw?.url ?? '')}`),
    'fwk.socket.error': failed(({ raw }) => `WS ${maskedTarget(raw?.url ?? '')}`),
    // Of those that succeed, too.
    'fwk.mcp.end': (message) => {
      if ((message as Failing).error !== undefined) callFailed(message);
    },
    'fwk.job.error': failed(({ queue, cron }) => `job ${queue ?? cron ?? ''}`),
    'fwk.socket.open': (message) => {
      listener.sockets.set(message as object, message as OpenSocket);
      listener.changed();
    },
    'fwk.socket.close': (message) => {
      listener.sockets.delete(message as object);
      listener.changed();
    },
  };
  for (const [name, handler] of Object.entries(handlers)) subscribe(name, handler);
  return () => {
    for (const [name, handler] of Object.entries(handlers)) unsubscribe(name, handler);
  };
}
