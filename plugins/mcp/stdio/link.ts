import type { Writable } from 'node:stream';
import { Deferred, type Runtime, type Transport } from '../../../kernel/index.js';

/** Serve the client at stdin and stdout. */
export const STDIO: Transport = Object.freeze({ kind: 'stdio' });

/** The client at stdin and stdout. */
export interface StdioLink {
  readonly output: Writable;
  /** Whether anything serves it. */
  isConnected: boolean;
  /** Resolves when the client has gone. */
  readonly ended: Promise<void>;
  end(): void;
}

/** The link of a runtime: the same one for every caller. */
export const stdioLink = (runtime: Runtime, output: Writable = process.stdout): Promise<StdioLink> =>
  runtime.getOrCreate('mcp.stdio', () => {
    const { promise: ended, resolve: end } = new Deferred();
    return { output, isConnected: false, ended, end };
  });
