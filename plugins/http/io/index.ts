import type { Logger } from '../../../kernel/index.js';
import { directReading, readingSelfTest } from './direct-reader.js';
import { directWriting, writingSelfTest } from './direct-writer.js';
import { type HttpIo, plainIo } from './io.js';

export interface IoSettings {
  readonly direct: boolean;
  /** Whether requests come directly from a server that this process owns, so that no other code has used them. */
  readonly ownsServer: boolean;
}

/** Choose how bodies are read and responses written: directly on the socket, or through Node's streams. */
export function chooseIo({ direct, ownsServer }: IoSettings): HttpIo {
  return direct ? { ...plainIo, ...directWriting, ...(ownsServer ? directReading : {}) } : plainIo;
}

export function logIo({ direct, ownsServer }: IoSettings, logger: Logger): void {
  if (!direct) return logger.debug('http.direct is off: request bodies and responses use Node streams.');
  const log = (what: string) => (passed: boolean) => {
    if (!passed)
      logger.debug(`http.direct is not supported on Node ${process.version}: ${what} use Node streams.`);
  };
  void writingSelfTest.settled.then(log('responses'));
  if (ownsServer) void readingSelfTest.settled.then(log('request bodies'));
}
