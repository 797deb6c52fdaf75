import type { IncomingMessage } from 'node:http';
import { resolve } from 'node:path';
import type { Project } from '../../kernel/index.js';
import type { HttpResponse } from '../http/index.js';
import { NOT_FOUND } from '../http/internal.js';
import { fileAt } from './files.js';
import { createSender, typeOf } from './serve.js';

/** Options for sending a file. */
export interface FileOptions {
  /** The file's directory, absolute or relative to the project's root. No path can refer to a file outside of it. */
  readonly root: string;
  /** `true`, or the file name to save it under: browsers save the file instead of showing it (RFC 6266). */
  readonly download?: boolean | string;
  /**
   * How long the visitor's own browser caches the file without revalidation, in seconds. Without
   * it, and without a Cache-Control header from the handler, the browser always revalidates.
   */
  readonly maxAge?: number;
  /** The media type. Default: derived from the file extension. */
  readonly type?: string;
}

/** Sends a file that was found. */
export type FoundFile = (raw: IncomingMessage, res: HttpResponse) => Promise<void>;

/** Looks for a file on disk. Throws NOT_FOUND if no such file may be sent. */
export function findFile(path: string, options: FileOptions, { root }: Project): FoundFile {
  const { download, maxAge, type } = options;
  const directory = resolve(root, options.root);
  const names = path.split('/');
  const file = names.includes('') ? undefined : fileAt(directory, names);
  if (!file) throw NOT_FOUND;
  const name = typeof download === 'string' ? download : (names.at(-1) ?? '');
  const sendFile = createSender(directory, (res) => {
    res.type(type ?? res.contentType ?? typeOf(names));
    // Only the handler knows who may read the file: shared caches store it if the handler allows it.
    if (!res.hasHeader('Cache-Control'))
      res.header('Cache-Control', maxAge === undefined ? 'private, no-cache' : `private, max-age=${maxAge}`);
    if (download) res.header('Content-Disposition', disposition(name));
  });
  return async (raw, res) => {
    // Preconditions and ranges of other methods do not apply to the file (RFC 9110 §13.2.1, §14.2).
    const request = raw.method === 'GET' || raw.method === 'HEAD' ? raw : withoutConditions(raw);
    if (!(await sendFile(file, request, res))) throw NOT_FOUND;
  };
}

function withoutConditions(raw: IncomingMessage): IncomingMessage {
  const { 'accept-encoding': accepted } = raw.headers;
  return Object.create(raw, {
    headers: { value: accepted === undefined ? {} : { 'accept-encoding': accepted } },
  });
}

/** A Content-Disposition for saving the response as `name` (RFC 6266; RFC 8187 if it is not ASCII). */
function disposition(name: string): string {
  // Uses only the last segment of a path, and replaces lone surrogates.
  const file = (name.split(/[/\\]/).at(-1) ?? '').replace(/[\ud800-\udfff]/gu, '_');
  const plain = file.replace(/[^ !#-$&-[\]-~]/g, '_');
  const quoted = `attachment; filename="${plain}"`;
  return plain === file ? quoted : `${quoted}; filename*=UTF-8''${encoded(file)}`;
}

/** Percent-encode every character that RFC 8187 does not allow literally. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
