import type { Writable } from 'node:stream';
import type { Runtime } from '../../../kernel/index.js';

/** The client at stdin and stdout. */
export interface StdioLink {
  readonly output: Writable;
  /** Whether anything serves it. */
  isConnected: boolean;
  /** Resolves when the client has gone. */
  readonly ended: Promise<void>;
  end(): void;
}

/** The link of a runtime: whoever serves it and whoever waits for its end ask for the same one. */
export const stdioLink = (runtime: Runtime, output: Writable = process.stdout): Promise<StdioLink> =>
  runtime.getOrCreate('mcp.stdio', () => {
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    return { output, isConnected: false, ended, end };
  });
