import type { IncomingMessage } from 'node:http';
import send from '@fastify/send';
import type { CloveResponse, Fallback } from '../http/index.js';
import { chooseEncoding } from './encodings.js';
import type { FindFile, PublicFile } from './files.js';

export interface Caching {
  /** Seconds for which clients need not ask again. */
  readonly maxAge: number;
  /** Whether they need not even ask on a reload (RFC 8246). */
  readonly immutable: boolean;
}

/** Answers with the files that `find` finds in `directory`. Without `caching`, clients ask every time. */
export function createFallback(directory: string, find: FindFile, caching: Caching | undefined): Fallback {
  const cacheControl = caching
    ? `public, max-age=${caching.maxAge}${caching.immutable ? ', immutable' : ''}`
    : 'no-cache';
  return async ({ raw, segments, path }, res) => {
    const file = find(segments, path.endsWith('/'));
    return file !== undefined && sendFile(file, raw, res);
  };

  async function sendFile(file: PublicFile, raw: IncomingMessage, res: CloveResponse): Promise<boolean> {
    const { names, encodings } = file;
    const encoding = chooseEncoding(raw.headers['accept-encoding'], encodings);
    const path = names.map(encodeURIComponent).join('/') + (encoding?.suffix ?? '');
    const made = await send(raw, path, {
      root: directory,
      // What may be sent was decided where the file was found.
      dotfiles: 'allow',
      // Ranges mean something for GET only (RFC 9110 §14.2).
      acceptRanges: raw.method === 'GET',
      index: false,
      cacheControl: false,
      contentType: false,
    });
    // Gone since it was found.
    if (made.type === 'directory' || made.statusCode === 404) return false;
    if (made.type === 'error') {
      if (made.statusCode >= 500) throw made.metadata.error;
      // A precondition or range that cannot be met (RFC 9110 §15.5.13, §15.5.17).
      const range = made.headers['Content-Range'];
      if (range !== undefined) res.header('Content-Range', range);
      res.status(made.statusCode).end();
      return true;
    }

    for (const [name, value] of Object.entries(made.headers)) res.header(name, value);
    res.status(made.statusCode).header('Cache-Control', cacheControl).type(typeOf(names));
    res.header('Accept-Ranges', 'bytes');
    if (encodings.length > 0) res.header('Vary', 'Accept-Encoding');
    if (encoding) res.header('Content-Encoding', encoding.name);
    if (made.statusCode === 304) res.end();
    else await res.stream(made.stream);
    return true;
  }
}

function typeOf(names: readonly string[]): string {
  const type = send.mime.getType(names.at(-1) ?? '') ?? 'application/octet-stream';
  return send.isUtf8MimeType(type) ? `${type}; charset=utf-8` : type;
}
