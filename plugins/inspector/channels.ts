import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { maskedTarget } from './masking.js';
import type { Failing, Noted, ReloadMessage } from './messages.js';
import type { OpenSocket } from './sockets.js';

/** Who hears what is published in a process. */
export interface Listener extends Noted {
  fail(thrown: unknown, where: string): void;
  changed(): void;
}

/** Has `listener` hear what is published of reloads, errors and sockets. Returns a function that ends it. */
export function openChannels(listener: Listener): () => void {
  const failed = (what: (message: Failing) => string) => (message: unknown) => {
    const given = message as Failing;
    if (given.error !== undefined) listener.fail(given.error, what(given));
  };
  const handlers: Readonly<Record<string, (message: unknown) => void>> = {
    'fwk.reload': (message) => listener.reloaded(message as ReloadMessage),
    'fwk.request.error': failed(({ raw }) => `${raw?.method ?? ''} ${maskedTarget(raw?.url ?? '')}`),
    'fwk.socket.error': failed(({ raw }) => `WS ${maskedTarget(raw?.url ?? '')}`),
    'fwk.mcp.end': failed(({ method, target }) => `MCP ${method ?? ''} ${target ?? ''}`),
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
