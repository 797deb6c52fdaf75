import type { LogStore } from './log-store.js';

/** What keeps logs for all machines. */
export interface StreamSource {
  stream(name: string): LogStore;
}

/** By the id of the process that serves an app: tests have several in one. */
const sources = new Map<string, StreamSource>();

/** Returns a function that ends it. */
export function addStreamSource(process: string, source: StreamSource): () => void {
  sources.set(process, source);
  return () => void sources.delete(process);
}

export const streamSourceOf = (process: string): StreamSource | undefined => sources.get(process);
