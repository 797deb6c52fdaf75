import type { Writable } from 'node:stream';
import { Deferred, type Runtime, type Transport } from '../../../kernel/index.js';
import type { Offering } from '../calls/client.js';

export const STDIO: Transport = Object.freeze({ kind: 'stdio' });

export interface StdioLink {
  readonly output: Writable;
  /** The offering of the version that answers calls; undefined before the first version. */
  offering: Offering | undefined;
  /** Whether a server is connected to it. */
  isConnected: boolean;
  readonly ended: Promise<void>;
  end(): void;
}

export const stdioLink = (runtime: Runtime, output: Writable = process.stdout): Promise<StdioLink> =>
  runtime.getOrCreate('mcp.stdio', () => {
    const { promise: ended, resolve: end } = new Deferred();
    return { output, offering: undefined, isConnected: false, ended, end };
  });
