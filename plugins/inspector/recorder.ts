import type { ServerResponse } from 'node:http';
import type { Project } from '../../kernel/index.js';
import type { HttpIo, RequestObserver } from '../http/index.js';
import type { NoteLine } from './noted-logger.js';
import { RequestRecord, recordOf } from './record.js';

/** Maximum number of requests, and of bytes of their bodies and log lines, that are stored. */
const MAX_REQUESTS = 100;
const MAX_BYTES = 8_388_608;

/** The URLs of the development server itself, which are not recorded. */
const OWN = /^\/_fwk(?:[/?]|$)/;

export class Recorder {
  readonly #records: RequestRecord[] = [];
  readonly #byRequestId = new Map<string, RequestRecord>();
  readonly #requestIds = new WeakMap<RequestRecord, string>();
  #last = 0;

  constructor(private readonly changed: (record: RequestRecord) => void) {}

  /** Newest first. */
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

  observer(project: Project): RequestObserver {
    return (exchange) => {
      if (exchange.isInternal || OWN.test(exchange.target)) return undefined;
      this.#last += 1;
      const record = new RequestRecord(this.#last, exchange);
      record.update = () => record.take(exchange, (file) => project.display(file));
      keepStreamed(exchange.out, record);
      this.#add(record, exchange.id);
      return () => {
        record.update();
        record.end(exchange);
        this.#keepWithinBounds();
        this.changed(record);
      };
    };
  }

  /** Wraps `io` to store the bodies that are read or sent in one piece. */
  readonly recordBodies = (io: HttpIo): HttpIo => ({
    ...io,
    read: (raw, each) =>
      io.read(raw, (piece) => {
        if (piece) recordOf(raw)?.body.add(piece);
        each(piece);
      }),
    write(out, ...response) {
      stopRecordingPieces(out);
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
    // A client may send the same ID repeatedly.
    if (id !== undefined && this.#byRequestId.get(id) === oldest) this.#byRequestId.delete(id);
    this.changed(record);
  }

  #keepWithinBounds(): void {
    let bytes = 0;
    for (const record of this.#records.toReversed()) {
      bytes += record.size;
      if (bytes > MAX_BYTES) record.drop();
    }
  }
}

const METHODS = ['write', 'end'] as const;

/** Methods that replace the methods of a response. */
const keeping = new WeakSet<object>();

/** Let `record` store the pieces of a response: of a stream, events, a file, or direct writes. */
function keepStreamed(out: ServerResponse, record: RequestRecord): void {
  // The response has no body, even if a handler writes one.
  if (record.method === 'HEAD') return;
  for (const name of METHODS) {
    const original: unknown = out[name];
    if (typeof original !== 'function') continue;
    const value = function (this: ServerResponse, ...given: unknown[]): unknown {
      const [piece, encoding] = given;
      if (typeof piece === 'string') record.keepPiece(bytesOf(piece, encoding));
      else if (piece instanceof Uint8Array) record.keepPiece(piece);
      return Reflect.apply(original, this, given);
    };
    keeping.add(value);
    Object.defineProperty(out, name, { configurable: true, writable: true, value });
  }
}

/** Stop recording pieces of a body that is sent at once. Methods that other code replaced stay. */
function stopRecordingPieces(out: ServerResponse): void {
  for (const name of METHODS)
    if (Object.hasOwn(out, name) && keeping.has(out[name])) Reflect.deleteProperty(out, name);
}

const bytesOf = (text: string, encoding: unknown): string | Buffer =>
  typeof encoding === 'string' && Buffer.isEncoding(encoding) ? Buffer.from(text, encoding) : text;
