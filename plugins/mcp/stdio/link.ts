import type { Writable } from 'node:stream';
import { Deferred, type Runtime, type Transport } from '../../../kernel/index.js';
import type { Offering } from '../calls/call-context.js';

/** Serve the client at stdin and stdout. */
export const STDIO: Transport = Object.freeze({ kind: 'stdio' });

/** The client at stdin and stdout. */
export interface StdioLink {
  readonly output: Writable;
  /** The offering of the version that answers calls; undefined before the first version. */
  offering: Offering | undefined;
  /** Whether a server is connected to it. */
  isConnected: boolean;
  /** Resolves when the client has disconnected. */
  readonly ended: Promise<void>;
  end(): void;
}

/** The link of a runtime: every caller gets the same one. */
export const stdioLink = (runtime: Runtime, output: Writable = process.stdout): Promise<StdioLink> =>
  runtime.getOrCreate('mcp.stdio', () => {
    const { promise: ended, resolve: end } = new Deferred();
    return { output, offering: undefined, isConnected: false, ended, end };
  });
