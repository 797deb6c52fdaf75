import type { Writable } from 'node:stream';
import { Deferred, type Runtime, type Transport } from '../../../kernel/index.js';

export const STDIO: Transport = Object.freeze({ kind: 'stdio' });

export interface StdioLink {
  readonly output: Writable;
  isConnected: boolean;
  readonly ended: Promise<void>;
  end(): void;
}

export const stdioLink = (runtime: Runtime, output: Writable = process.stdout): Promise<StdioLink> =>
  runtime.getOrCreate('mcp.stdio', () => {
    const { promise: ended, resolve: end } = new Deferred();
    return { output, isConnected: false, ended, end };
  });
