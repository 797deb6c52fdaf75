import { Deferred } from '../../../kernel/index.js';
import type { HttpResponse } from '../../http/index.js';
import { isResponse, type Message, type RequestId } from '../sdk/transport.js';
import { EventStream } from './event-stream.js';

/**
 * The answer to one POST: plain JSON if results are all that comes, an event stream as soon as anything else comes
 * first. Most calls are answered with JSON, which costs a fraction of a stream.
 */
export class Reply {
  readonly #done = new Deferred();
  /** Resolves when the response is complete. */
  readonly done = this.#done.promise;
  readonly #res: HttpResponse;
  readonly #isBatch: boolean;
  readonly #backpressureLimit: number;
  readonly #waiting: Set<RequestId>;
  readonly #results: Message[] = [];
  #stream: EventStream | undefined;

  constructor(
    res: HttpResponse,
    requests: readonly RequestId[],
    isBatch: boolean,
    backpressureLimit: number,
  ) {
    this.#res = res;
    this.#isBatch = isBatch;
    this.#backpressureLimit = backpressureLimit;
    this.#waiting = new Set(requests);
  }

  /** Send a message that belongs to this answer. */
  take(message: Message): void {
    if (!isResponse(message)) return this.#open().send(message);
    if (this.#stream) this.#stream.send(message);
    else this.#results.push(message);
    if (message.id !== undefined && message.id !== null) this.leave(message.id);
  }

  /** Stop waiting for the result of a request: it has come, or never will. */
  leave(id: RequestId): void {
    if (!this.#waiting.delete(id) || this.#waiting.size > 0) return;
    if (this.#stream) return this.#stream.end();
    const [first] = this.#results;
    if (this.#res.sent || this.#res.raw.closed) this.#done.resolve();
    else {
      if (first === undefined) this.#res.status(202).send('');
      else this.#res.json(this.#isBatch ? this.#results : first);
      this.#done.resolve();
    }
  }

  leaveAll(): void {
    for (const id of [...this.#waiting]) this.leave(id);
  }

  #open(): EventStream {
    if (!this.#stream) {
      this.#stream = new EventStream(this.#backpressureLimit);
      for (const result of this.#results) this.#stream.send(result);
      this.#done.resolve(this.#stream.pipe(this.#res));
    }
    return this.#stream;
  }
}
