import { randomBytes } from 'node:crypto';

/** A request body with its content type. */
export interface Typed {
  readonly type: string;
  readonly body: Buffer;
}

/** The form as Node's own fetch would send it. */
export async function encoded(form: FormData): Promise<Typed> {
  const response = new Response(form);
  const type = response.headers.get('content-type') ?? '';
  return { type, body: Buffer.from(await response.arrayBuffer()) };
}

/** A form written by hand: each part is its head, one line each, and its content. */
export function written(...parts: readonly (readonly [head: string, content: string | Buffer])[]): Typed {
  const boundary = `x${randomBytes(8).toString('hex')}`;
  const pieces = parts.flatMap(([head, content]) => [
    Buffer.from(`--${boundary}\r\n${head.replaceAll('\n', '\r\n')}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

/** A part of `written`: a field. */
export const field = (name: string, value: string): readonly [string, string] => [
  `Content-Disposition: form-data; name="${name}"`,
  value,
];

/** A part of `written`: a file. */
export const file = (name: string, filename: string, content: string | Buffer) =>
  [
    `Content-Disposition: form-data; name="${name}"; filename="${filename}"\nContent-Type: application/octet-stream`,
    content,
  ] as const;

/** A whole request in chunks of `size` bytes (RFC 9112 §7.1), which the server receives one by one. */
export function chunked(path: string, { type, body }: Typed, size: number): Buffer {
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
  const pieces: Buffer[] = [Buffer.from(head)];
  for (let at = 0; at < body.length; at += size) {
    const piece = body.subarray(at, at + size);
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]);
}
