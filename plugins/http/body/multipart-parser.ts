import { Readable } from 'node:stream';
import { Dicer } from '@fastify/busboy';
import { coded, Deferred } from '../../../kernel/index.js';
import { HttpProblem } from '../request/http-error.js';
import { Bytes, type FormLimits, guardStream, type OnStreamFailure } from './bytes.js';
import { malformedForm, type PartHead, readHead } from './part-headers.js';
import { tooManyFields } from './read-body.js';

/**
 * Splits a multipart body. Reading the next part, or more bytes of a file, reads one more chunk of the body, which provides
 * the back-pressure. The parser's own part streams always flow, because the parser expects that.
 */
export class Splitter {
  readonly #dicer: Dicer;
  /** Parts whose headers have arrived, in order. */
  readonly #waiting: (() => Part | Promise<Part>)[] = [];
  #file: FilePart | undefined;
  #feeding: Promise<void> | undefined;
  #parts = 0;
  #files = 0;
  #fields = 0;
  #headless = false;
  #over = false;
  /** Ends the wait for a chunk to be consumed, because the parser doesn't call back if the form ends in that chunk. */
  #taken: (() => void) | undefined;
  #failure: unknown;

  constructor(
    private readonly chunks: AsyncGenerator<Buffer, void, undefined>,
    boundary: string,
    private readonly limits: FormLimits,
    private readonly lost: OnStreamFailure,
  ) {
    this.#dicer = new Dicer({ boundary });
    this.#dicer.on('part', (part) => this.#begin(part));
    this.#dicer.on('error', () => this.#fail(malformedForm('it ends before its last boundary')));
    this.#dicer.on('finish', () => {
      if (this.#headless) this.#fail(HEADLESS);
      this.#over = true;
      this.#taken?.();
    });
  }

  /** Return the next part; undefined after the last one. Closes the file that was returned before. Rejects with an HttpProblem. */
  async next(): Promise<Part | undefined> {
    this.#leave();
    while (this.#waiting.length === 0 && this.#wants) await this.#feed();
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#waiting.length > 0) return this.#waiting.shift()?.();
    // Bytes after the last boundary count towards the limit, too.
    while (!(await this.chunks.next()).done);
    return undefined;
  }

  close(): void {
    this.#leave();
    // Not awaited: a chunk may be under way, and the client may wait for the response before it sends that chunk.
    void this.chunks.return();
  }

  get #wants(): boolean {
    return !this.#over && this.#failure === undefined;
  }

  #feed(): Promise<void> {
    this.#feeding ??= this.#read()
      .catch((cause: unknown) => this.#fail(cause))
      .finally(() => {
        this.#feeding = undefined;
      });
    return this.#feeding;
  }

  async #read(): Promise<void> {
    const { done, value } = await this.chunks.next();
    if (!this.#wants) return;
    await new Promise<void>((resolve) => {
      this.#taken = resolve;
      if (done)
        this.#dicer
          .once('finish', resolve)
          .once('error', () => resolve())
          .end();
      else this.#dicer.write(value, () => resolve());
      if (!this.#wants) resolve();
    });
  }

  #begin(part: Dicer.PartStream): void {
    part.on('error', () => {});
    if (this.#headless) this.#fail(HEADLESS);
    this.#headless = true;
    this.#parts += 1;
    if (this.#parts > this.limits.maxParts)
      this.#fail(new HttpProblem(413, `The form has more than ${this.limits.maxParts} parts`));
    if (this.#failure !== undefined) return void part.resume();
    part.once('header', (header) => {
      this.#headless = false;
      try {
        this.#accept(readHead(header, this.limits.maxFieldName), part);
      } catch (cause) {
        this.#fail(cause);
        part.resume();
      }
    });
  }

  #accept(head: PartHead, part: Readable): void {
    // Code that deep-merges the form into an object would change its prototype through these names.
    if (head.name === '__proto__' || head.name === 'constructor') part.resume();
    // Without a file name, bytes that are not text are a file, too: as text they would be lost.
    else if (head.filename === undefined && isText(head.type)) this.#acceptField(head.name, part);
    else this.#acceptFile({ ...head, filename: head.filename ?? '' }, part);
  }

  #acceptField(name: string, part: Readable): void {
    const { bodyLimit, maxFields, held } = this.limits;
    this.#fields += 1;
    if (this.#fields > maxFields) throw tooManyFields(maxFields);
    const bytes = new Bytes();
    const end = new Deferred();
    let ended = false;
    part.on('data', (piece: Buffer) => {
      if (bytes.size + piece.length > bodyLimit)
        this.#fail(new HttpProblem(413, `The field "${name}" is larger than ${bodyLimit} bytes`));
      else if (held && !held.add(piece.length)) this.#fail(held.failure);
      else bytes.add(piece);
    });
    part.once('end', () => {
      ended = true;
      end.resolve();
    });
    this.#waiting.push(async () => {
      while (!ended && this.#wants) await this.#feed();
      if (this.#failure !== undefined) throw this.#failure;
      await end.promise;
      held?.remove(bytes.size);
      return { name, value: bytes.take().toString() };
    });
  }

  #acceptFile(head: PartHead & { filename: string }, part: Readable): void {
    this.#files += 1;
    if (this.#files > this.limits.maxFiles)
      throw new HttpProblem(413, `The form has more than ${this.limits.maxFiles} files`);
    let pushes = 0;
    const fill = async () => {
      const before = pushes;
      while (pushes === before && this.#wants) await this.#feed();
      if (this.#failure !== undefined) stream.destroy(asError(this.#failure));
    };
    const stream = guardStream(new Readable({ read: () => void fill() }), this.lost);
    const push = (piece: Buffer | null) => {
      pushes += 1;
      if (!stream.destroyed) stream.push(piece);
    };
    part.on('data', push).once('end', () => push(null));
    this.#waiting.push(() => {
      this.#file = { ...head, stream };
      return this.#file;
    });
  }

  #leave(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file && !file.stream.readableEnded && !file.stream.destroyed)
      file.stream.destroy(
        coded(
          'FWK417',
          new Error(
            `The file "${file.filename}" was not read before the next part was requested. Read or discard it first`,
          ),
        ),
      );
  }

  #fail(cause: unknown): void {
    this.#failure ??= cause;
    this.#file?.stream.destroy(asError(this.#failure));
  }
}

/** Whether a media type is text: JSON and XML are. */
const isText = (type: string): boolean => /^text\/|[/+](?:json|xml)\b|x-www-form-urlencoded/i.test(type);

const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));
const HEADLESS = malformedForm('a part has no complete head');

/** A field of a streamed multipart form. */
export interface FieldPart {
  readonly name: string;
  readonly value: string;
}

/** A file of a streamed multipart form. */
export interface FilePart {
  /** The field that contains the file. */
  readonly name: string;
  /** The file name from the client, without directories; '' if no file was chosen, or if the client sent no name. Never use it as a path unchecked. */
  readonly filename: string;
  /** The media type from the client; `text/plain` if it sent none (RFC 7578 §4.4). */
  readonly type: string;
  /** The headers of the part, names in lower case. No prototype. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as they arrive. Read them before you request the next part, which closes this stream. */
  readonly stream: Readable;
}

/** `req.body` of a multipart form where the route has `.meta({ body: 'stream' })` yields these, in order. */
export type Part = FieldPart | FilePart;
