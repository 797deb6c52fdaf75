import type { Project } from '../../kernel/index.js';
import type { Io, RequestObserver } from '../http/index.js';
import type { NoteLine } from './noted-logger.js';
import { RequestRecord, recordOf } from './record.js';
import { keepNoPieces, keepStreamed } from './streamed.js';

/** How many requests are kept, and bytes of their bodies and log lines. */
const MAX_REQUESTS = 100;
const MAX_BYTES = 8_388_608;

/** Where what is here for development alone is asked. */
const OWN = /^\/_fwk(?:[/?]|$)/;

/** Keeps the last requests. */
export class Recorder {
  readonly #records: RequestRecord[] = [];
  readonly #byRequestId = new Map<string, RequestRecord>();
  readonly #requestIds = new WeakMap<RequestRecord, string>();
  readonly #changed: (record: RequestRecord) => void;
  #last = 0;

  constructor(changed: (record: RequestRecord) => void) {
    this.#changed = changed;
  }

  /** The newest first. */
  get records(): readonly RequestRecord[] {
    return this.#records.toReversed();
  }

  find(id: number): RequestRecord | undefined {
    return this.#records.find((record) => record.id === id);
  }

  /** The newest request that came from a port of this machine. */
  from(clientPort: number | undefined): RequestRecord | undefined {
    return this.#records.findLast((record) => record.clientPort === clientPort);
  }

  /** Records the requests of one version. */
  observer(project: Project): RequestObserver {
    return (exchange) => {
      if (exchange.isInside || OWN.test(exchange.target)) return undefined;
      this.#last += 1;
      const record = new RequestRecord(this.#last, exchange);
      record.update = () => record.take(exchange, (file) => project.display(file));
      keepStreamed(exchange.out, record);
      this.#add(record, exchange.id);
      return () => {
        record.update();
        record.end(exchange);
        this.#keepWithinBounds();
        this.#changed(record);
      };
    };
  }

  /** Reads and writes as `io` does, and keeps the bodies that go through memory as a whole. */
  readonly recordBodies = (io: Io): Io => ({
    ...io,
    read: (raw, each) =>
      io.read(raw, (piece) => {
        if (piece) recordOf(raw)?.body.add(piece);
        each(piece);
      }),
    write(out, ...response) {
      keepNoPieces(out);
      recordOf(out.req)?.keepSent(response[3]);
      return io.write(out, ...response);
    },
  });

  readonly note: NoteLine = (requestId, level, textOf) => {
    if (requestId !== undefined) this.#byRequestId.get(requestId)?.log(level, textOf);
  };

  #add(record: RequestRecord, requestId: string): void {
    this.#records.push(record);
    this.#byRequestId.set(requestId, record);
    this.#requestIds.set(record, requestId);
    const oldest = this.#records.length > MAX_REQUESTS ? this.#records.shift() : undefined;
    const id = oldest && this.#requestIds.get(oldest);
    // A client may send one id again and again.
    if (id !== undefined && this.#byRequestId.get(id) === oldest) this.#byRequestId.delete(id);
    this.#changed(record);
  }

  #keepWithinBounds(): void {
    let bytes = 0;
    for (const record of this.#records.toReversed()) {
      bytes += record.size;
      if (bytes > MAX_BYTES) record.drop();
    }
  }
}
