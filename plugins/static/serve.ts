import { type Stats, statSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import send from '@fastify/send';
import { LRUCache } from 'lru-cache';
import { type Fallback, HttpProblem, type HttpResponse } from '../http/index.js';
import { chooseCoding, markStable, nextOf } from '../http/internal.js';
import type { Encoding, FindFile, PublicFile } from './files.js';

export interface Caching {
  readonly maxAge: number;
  /** Whether they need not revalidate even on a reload (RFC 8246). */
  readonly immutable: boolean;
  /** Maximum size of a file that is cached in memory, in bytes. */
  readonly maxCachedBytes: number;
}

/** Answers with files that `find` finds. Without `caching`, each request reads and revalidates them. */
export function createFallback(directory: string, find: FindFile, caching: Caching | undefined): Fallback {
  const cacheControl = caching
    ? `public, max-age=${caching.maxAge}${caching.immutable ? ', immutable' : ''}`
    : 'no-cache';
  const files = caching && new FileCache();
  const describe = (res: HttpResponse, names: readonly string[]): void =>
    void res.header('Cache-Control', cacheControl).type(typeOf(names));
  const sendFile = createSender(directory, describe, files, caching?.maxCachedBytes);
  return async ({ raw, segments, path }, res) => {
    const isDirectory = path.endsWith('/');
    const file = find(segments, isDirectory);
    if (file === undefined) return false;
    if (raw.method !== 'GET' && raw.method !== 'HEAD') {
      // The server in which the app is mounted may handle the method.
      if (nextOf.has(res.raw)) return false;
      throw new HttpProblem(405, `The method ${raw.method} is not allowed here`, undefined, {
        Allow: 'GET, HEAD',
      });
    }
    if (isDirectory || file.names.length === segments.length) return sendFile(file, raw, res);
    // The index.html of a directory: its relative links need the slash. Relative, so that it can't name another host.
    const query = raw.url?.slice(`${raw.url}?`.indexOf('?')) ?? '';
    res
      .header('Location', `./${encodeURIComponent(segments.at(-1) ?? '')}/${query}`)
      .status(301)
      .end();
    return true;
  };
}

/** Sends a file. Resolves with false, without any effect, if the file has been deleted. */
type SendFile = (file: PublicFile, raw: IncomingMessage, res: HttpResponse) => Promise<boolean>;

/** Sends files in `directory`, with `describeFile`'s headers, and caches them up to `maxCachedBytes` bytes. */
export function createSender(
  directory: string,
  describeFile: (res: HttpResponse, names: readonly string[]) => void,
  files?: FileCache,
  maxCachedBytes = 0,
): SendFile {
  return sendFile;

  async function sendFile(
    file: PublicFile,
    raw: IncomingMessage,
    res: HttpResponse,
    tries = 5,
  ): Promise<boolean> {
    const { names, encodings } = file;
    const encoding = encodings.length === 0 ? undefined : chooseEncoding(raw, encodings);
    const describe = (headers: Readonly<Record<string, string>>): void => {
      for (const name in headers) res.header(name, headers[name] ?? '');
      res.header('Accept-Ranges', 'bytes');
      describeFile(res, names);
      if (encodings.length > 0) res.header('Vary', 'Accept-Encoding');
      if (encoding) res.header('Content-Encoding', encoding.name);
    };

    const suffix = encoding?.suffix ?? '';
    const path = join(directory, ...names) + suffix;
    const sendFullFile = ({ headers, bytes }: CachedFile): true => {
      describe(headers);
      res.send(bytes);
      return true;
    };
    const cached = asksForAll(raw) ? files?.get(path) : undefined;
    if (cached !== undefined) return sendFullFile(cached);

    const result = await send(asOrigin(raw), names.map(encodeURIComponent).join('/') + suffix, {
      root: directory,
      // The code that found the file has checked whether it may be sent.
      dotfiles: 'allow',
      // Ranges are only defined for GET (RFC 9110 §14.2).
      acceptRanges:
        raw.method === 'GET' && !isWeak(raw.headers['if-range']) && isByteRange(raw.headers.range),
      index: false,
      cacheControl: false,
      contentType: false,
    });
    // The file was deleted after it was found.
    if (result.type === 'directory' || result.statusCode === 404) return false;
    if (result.type === 'error') {
      if (result.statusCode >= 500) throw result.metadata.error;
      // A precondition or range that cannot be met (RFC 9110 §15.5.13, §15.5.17).
      const range = result.headers['Content-Range'];
      if (range !== undefined) res.header('Content-Range', range);
      res.status(result.statusCode).dropLifetime().end();
      return true;
    }

    const { statusCode, headers, stream, metadata } = result;
    const length = Number(headers['Content-Length']);
    if (files && statusCode === 200 && raw.method === 'GET' && length <= maxCachedBytes) {
      const bytes = await buffer(stream);
      // Several requests read the file at once: use the copy that was cached first, maybe compressed.
      const other = files.get(path);
      if (other?.headers.ETag === headers.ETag && other !== undefined) return sendFullFile(other);
      // The file was written while it was being read, so its headers belong to other content.
      if (bytes.length !== length) {
        if (tries > 1) return sendFile(file, raw, res, tries - 1);
        throw new Error(`${path} changed while it was being read`);
      }
      markStable(bytes);
      const read = { headers, bytes, stat: metadata.stat };
      files.set(path, read);
      return sendFullFile(read);
    }
    res.status(statusCode === 200 ? (res.statusCode ?? 200) : statusCode);
    describe(headers);
    if (statusCode === 304) res.end();
    else await res.stream(stream);
    return true;
  }
}

function chooseEncoding({ headers }: IncomingMessage, encodings: readonly Encoding[]): Encoding | undefined {
  const names = encodings.map(({ name }) => name);
  const { name } = chooseCoding(headers['accept-encoding']?.toString(), names);
  return encodings.find((encoding) => encoding.name === name);
}

/**
 * A request without the `no-cache` that `fetch` adds to conditional requests: it makes caches on
 * the way forward them to this server (RFC 9111 §5.2.1.4).
 */
function asOrigin(raw: IncomingMessage): IncomingMessage {
  if (raw.headers['cache-control'] === undefined) return raw;
  const { 'cache-control': _, ...headers } = raw.headers;
  return Object.create(raw, { headers: { value: headers } });
}

/** Whether a request is for a whole file in any version. `res` knows if the client already has it. */
const asksForAll = ({ headers }: IncomingMessage): boolean =>
  headers.range === undefined &&
  headers['if-match'] === undefined &&
  headers['if-unmodified-since'] === undefined;

export function typeOf(names: readonly string[]): string {
  const type = send.mime.getType(names.at(-1) ?? '') ?? 'application/octet-stream';
  return send.isUtf8MimeType(type) ? `${type}; charset=utf-8` : type;
}

/** A weak validator does not prove that the client has the bytes of this file (RFC 9110 §13.1.5). */
const isWeak = (ifRange: string | undefined | string[]): boolean => String(ifRange ?? '').startsWith('W/');

/** Whether a Range has valid syntax (RFC 9110 §14.1.1). Any other Range is ignored. The parser accepts numbers such as `1e0`. */
const isByteRange = (range = ''): boolean => /^(?:bytes=[\d\s,-]*)?$/i.test(range);

interface CachedFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  readonly stat: Stats;
}

/** In bytes. Larger files are read in pieces for every request. */
export const MAX_CACHED_FILE_BYTES = 64 * 1024;
/** The limit for compressed responses: compressing takes longer, and happens once per cached file. */
export const MAX_CODED_FILE_BYTES = 1024 * 1024;
/** The total size of cached files, in bytes. Their compressed forms are smaller, and are dropped with them. */
const MAX_CACHE_BYTES = 16 * 1024 * 1024;

/** A cache of small files. Each use checks that the file has not changed on disk, which costs little compared to reading it. */
class FileCache {
  readonly #files = new LRUCache<string, CachedFile>({
    maxSize: MAX_CACHE_BYTES,
    sizeCalculation: ({ bytes }) => Math.max(1, bytes.length),
  });

  get(path: string): CachedFile | undefined {
    const file = this.#files.get(path);
    if (file === undefined || isUnchanged(path, file.stat)) return file;
    this.#files.delete(path);
    return undefined;
  }

  set(path: string, file: CachedFile): void {
    this.#files.set(path, file);
  }
}

function isUnchanged(path: string, { ino, size, mtimeMs, ctimeMs }: Stats): boolean {
  try {
    const now = statSync(path);
    return now.ino === ino && now.size === size && now.mtimeMs === mtimeMs && now.ctimeMs === ctimeMs;
  } catch {
    return false;
  }
}
