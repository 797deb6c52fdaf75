import type { IncomingMessage } from 'node:http';
import type { OpenSocket } from './sockets.js';

/** What the messages of channels that tell of errors have. */
export interface Failing {
  readonly error?: unknown;
  readonly raw?: IncomingMessage;
  readonly method?: string;
  readonly target?: string;
  readonly queue?: string;
  readonly cron?: string;
}

/** The message of `fwk.reload`. */
export interface ReloadMessage {
  readonly isServed: boolean;
  readonly files: readonly string[];
  readonly duration: number;
  readonly error: unknown;
  readonly routes: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
  };
  /** What others have to tell of it, when they know. */
  readonly notes: readonly Promise<readonly string[]>[];
}

/** Where they are noted. */
export interface Noted {
  readonly sockets: Map<object, OpenSocket>;
  reloaded(reload: ReloadMessage): void;
}
