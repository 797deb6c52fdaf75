import http from 'node:http';
import zlib from 'node:zlib';

/** A response with its undecoded body. */
export interface Coded {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Ask with an Accept-Encoding; the body stays as it came. */
export function ask(url: string, accept?: string, more: http.RequestOptions = {}): Promise<Coded> {
  return new Promise((resolve, reject) => {
    const headers = { ...(accept === undefined ? {} : { 'accept-encoding': accept }), ...more.headers };
    http
      .get(url, { ...more, headers }, async (incoming) => {
        const pieces: Buffer[] = [];
        try {
          for await (const piece of incoming) pieces.push(piece);
        } catch (cause) {
          return reject(cause);
        }
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          body: Buffer.concat(pieces),
        });
      })
      .on('error', reject);
  });
}

const { zstdDecompressSync } = zlib as typeof zlib & { zstdDecompressSync?: (bytes: Buffer) => Buffer };
const decoders = new Map<string | undefined, (bytes: Buffer) => Buffer>([
  ['gzip', zlib.gunzipSync],
  ['br', zlib.brotliDecompressSync],
  ...(zstdDecompressSync ? [['zstd', zstdDecompressSync] as const] : []),
]);

/** Its body, decoded. */
export const plain = ({ headers, body }: Coded): string =>
  String(decoders.get(headers['content-encoding'])?.(body) ?? body);
