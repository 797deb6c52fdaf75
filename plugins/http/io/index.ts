import type { Logger } from '../../../kernel/index.js';
import { directReading, readingSelfTest } from './direct-reader.js';
import { directWriting, writingSelfTest } from './direct-writer.js';
import type { Io } from './io.js';
import { plainIo } from './io.js';

export interface IoSettings {
  readonly direct: boolean;
  /** Whether requests come straight from a server of this process's own, so that no other code has touched them. */
  readonly ownsServer: boolean;
}

/** How bodies are read and responses written: past Node's streams, or in Node's own way. */
export function chooseIo({ direct, ownsServer }: IoSettings): Io {
  return direct ? { ...plainIo, ...directWriting, ...(ownsServer ? directReading : {}) } : plainIo;
}

export function logIo({ direct, ownsServer }: IoSettings, logger: Logger): void {
  if (!direct) return logger.debug("Bodies and responses go through Node's own streams: http.direct is off.");
  const log = (what: string) => (passed: boolean) => {
    if (!passed)
      logger.debug(`${what} Node's own streams: Node ${process.version} is not known to allow http.direct.`);
  };
  void writingSelfTest.settled.then(log('Responses go through'));
  if (ownsServer) void readingSelfTest.settled.then(log('Bodies come through'));
}
