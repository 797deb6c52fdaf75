import { LRUCache } from 'lru-cache';
import { type Clock, coded, type Project } from '../../kernel/index.js';
import { logSafely, type RuntimeCtx, scopeLogger } from '../../scope/index.js';
import { type Handler, type HttpRequest, type HttpResponse, isHttpError } from '../http/index.js';
import { headerOf } from '../http/internal.js';
import { type Computed, compute, type Entry, type SingleResponse } from './compute.js';
import { type CacheMeta, lifetimeOf, searchFor } from './meta.js';
import type { SharedEntries } from './shared-entries.js';

export interface CacheSettings {
  readonly maxSize: number;
  readonly maxEntry: number;
}

interface Computation {
  readonly tags: readonly string[];
  readonly computed: Promise<Computed>;
  /** Its tags were purged in the meantime. */
  isPurged: boolean;
}

export class Cache {
  readonly #project: Project;
  readonly #settings: CacheSettings;
  readonly #entries: LRUCache<string, Entry>;
  readonly #computations = new Map<string, Computation>();
  #shared: SharedEntries | undefined;
  #purges = 0;

  constructor(project: Project, settings: CacheSettings) {
    this.#project = project;
    this.#settings = settings;
    this.#entries = new LRUCache({
      // The store does not accept 0, which means that nothing is cached.
      maxSize: Math.max(1, settings.maxSize),
      sizeCalculation: (entry, key) => sizeOf(key, entry),
    });
  }

  /** Share responses with other processes from now on, in both directions. */
  share(shared: SharedEntries): void {
    this.#shared = shared;
  }

  /** Answer with a cached response, or a new one by `handler`. Returns the bytes; `res` gets the rest. */
  async answer(
    req: HttpRequest,
    res: HttpResponse,
    ctx: RuntimeCtx,
    meta: CacheMeta,
    handler: Handler,
  ): Promise<unknown> {
    const key = keyOf(req, ctx, meta);
    const known = this.#entries.get(key);
    const age = known ? ageOf(known, this.#project.clock) : 0;
    if (known && age < meta.maxAge) return this.#send(known, req, res, meta);
    if (known && age < meta.maxAge + (meta.swr ?? 0)) {
      if (!this.#computations.has(key)) void this.#refresh(key, req, meta, handler);
      return this.#send(known, req, res, meta);
    }
    const under = this.#computations.get(key);
    const { computed } = under ?? this.#compute(key, req, meta, handler, lifetimeOf(meta));
    const result = await computed;
    if ('entry' in result) return this.#send(result.entry, req, res, meta);
    if (!under) return sendSingle(result.single, res);
    // The uncacheable response belongs to the request that started the computation.
    const own = await this.#run(req, meta, handler, []);
    return 'entry' in own ? this.#send(own.entry, req, res, meta) : sendSingle(own.single, res);
  }

  /** Compute the next response. On failure, the old one stays. An uncacheable one removes it. */
  async #refresh(key: string, req: HttpRequest, meta: CacheMeta, handler: Handler): Promise<void> {
    try {
      const result = await this.#compute(key, req, meta, handler, meta.maxAge).computed;
      if ('entry' in result) return;
      // Nobody waits for the response.
      result.single.body.destroy();
      if (result.single.status < 500) this.#entries.delete(key);
    } catch (thrown) {
      if (isHttpError(thrown) && thrown.status < 500) return void this.#entries.delete(key);
      const what = `${req.method} ${req.path} could not be recomputed:`;
      logSafely(scopeLogger(this.#project.logger, req), 'error', what, thrown);
    }
  }

  /** `acceptable`: the maximum age of a response that another process has computed, in seconds. */
  #compute(
    key: string,
    req: HttpRequest,
    meta: CacheMeta,
    handler: Handler,
    acceptable: number,
  ): Computation {
    const tags = typeof meta.tags === 'function' ? [...meta.tags(req)] : (meta.tags ?? []);
    const run = () => this.#run(req, meta, handler, tags);
    const shared = this.#shared;
    const isPurged = () => computation.isPurged;
    const computed = shared
      ? findOrRun(shared, key, { tags, meta, acceptable, clock: this.#project.clock, run, isPurged })
      : run();
    const computation: Computation = { tags, computed, isPurged: false };
    const purges = this.#purges;
    this.#computations.set(key, computation);
    const done = (): boolean => this.#computations.get(key) === computation && this.#computations.delete(key);
    computed.then(
      (result) => {
        done();
        // A response that another process has computed may have tags that this request does not have.
        const isKept = !computation.isPurged && (!shared || purges === this.#purges);
        if ('entry' in result && isKept) this.#entries.set(key, result.entry);
      },
      () => done(),
    );
    return computation;
  }

  #run(req: HttpRequest, meta: CacheMeta, handler: Handler, tags: readonly string[]): Promise<Computed> {
    return compute(this.#project, handler, req, meta, tags, this.#settings.maxEntry);
  }

  #send(entry: Entry, req: HttpRequest, res: HttpResponse, meta: CacheMeta): unknown {
    return send(entry, ageOf(entry, this.#project.clock), req, res, meta);
  }

  purge(tags: readonly string[]): void {
    this.#purges += 1;
    for (const [key, entry] of [...this.#entries.entries()])
      if (entry.tags.some((tag) => tags.includes(tag))) this.#entries.delete(key);
    for (const [key, computation] of this.#computations)
      if (computation.tags.some((tag) => tags.includes(tag))) {
        computation.isPurged = true;
        this.#computations.delete(key);
      }
  }

  async idle(): Promise<void> {
    await Promise.allSettled([...this.#computations.values()].map(({ computed }) => computed));
  }
}

interface Search {
  readonly tags: readonly string[];
  readonly meta: CacheMeta;
  readonly acceptable: number;
  readonly clock: Clock;
  run(): Promise<Computed>;
  isPurged(): boolean;
}

/** A response that another process computed, or else the response of `run`, which is then shared. */
async function findOrRun(
  shared: SharedEntries,
  key: string,
  { tags, meta, acceptable, clock, run, isPurged }: Search,
): Promise<Computed> {
  const found = await shared.get(key);
  if (found && ageOf(found, clock) < acceptable) return { entry: found };
  const marks = await shared.begin(tags);
  const result = await run();
  if ('entry' in result && marks && !isPurged()) void shared.set(key, result.entry, marks, lifetimeOf(meta));
  return result;
}

/** Seconds since a response was computed. */
const ageOf = ({ at }: Entry, clock: Clock): number => (clock.now() - at) / 1000;

/** Every part of the request that a handler can see. */
function keyOf(req: HttpRequest, ctx: RuntimeCtx, { vary = [], key, query }: CacheMeta): string {
  const own = key?.(req, ctx);
  if (key && typeof own !== 'string')
    throw coded(
      'FWK406',
      `the cache key of ${req.route.file} is ${own === null ? 'null' : typeof own}: return a string`,
    );
  const { raw } = req;
  const headers = vary.map((name) => req.header(name) ?? null);
  const search = searchFor(req, query);
  const target = search === undefined ? raw.url : `${req.path}?${search}`;
  // The label of the route, because another route may answer the same URL, and `meta` belongs to one route.
  return JSON.stringify([req.route.label, req.url.origin, target, own ?? null, headers]);
}

/** Bytes with a type are sent unchanged; middlewares may still set headers. */
function send(entry: Entry, seconds: number, req: HttpRequest, res: HttpResponse, meta: CacheMeta): unknown {
  const { status, type, headers, bytes } = entry;
  for (let index = 0; index < headers.length; index += 2)
    res.header(headers[index] ?? '', headers[index + 1] ?? '');
  if (headerOf(headers, 'cache-control') === undefined) res.header('Cache-Control', cacheControl(req, meta));
  for (const name of meta.vary ?? []) res.header('Vary', name);
  const age = Math.floor(seconds);
  if (age > 0) res.header('Age', age);
  res.status(status);
  if (bytes.length === 0 && type === undefined) return undefined;
  if (type !== undefined) res.type(type);
  return bytes;
}

/**
 * Guards run for each request that reaches the server, but not for requests that a shared cache
 * answers, so a response to a request with credentials must not be stored by shared caches.
 */
function cacheControl(
  { raw }: HttpRequest,
  { maxAge, swr, key, private: own = key !== undefined }: CacheMeta,
): string {
  const { authorization, cookie } = raw.headers;
  const whose = own || authorization !== undefined || cookie !== undefined ? 'private, ' : '';
  return `${whose}max-age=${maxAge}${swr ? `, stale-while-revalidate=${swr}` : ''}`;
}

function sendSingle({ status, headers, body }: SingleResponse, res: HttpResponse): unknown {
  for (let index = 0; index < headers.length; index += 2)
    res.header(headers[index] ?? '', headers[index + 1] ?? '');
  res.status(status);
  // A middleware may drop the body, and the client may have disconnected.
  if (res.raw.closed) body.destroy();
  else res.raw.once('close', () => body.destroy());
  return status === 204 ? undefined : body;
}

/** Memory overhead of an entry, excluding its texts and its body, in bytes. */
const OVERHEAD_BYTES = 512;

const sizeOf = (key: string, { headers, bytes }: Entry): number =>
  headers.reduce((sum, text) => sum + 2 * text.length, OVERHEAD_BYTES + 2 * key.length + bytes.byteLength);
