import { connect } from './http.js';
import type { Typed } from './multipart.js';

/**
 * Sends a POST and, behind it on the same connection, a GET for a path that is nowhere. Gives the statuses that come
 * back: more than two, and the body was taken for requests; fewer, and it was left half read.
 */
export async function pipelined(
  url: string,
  path: string,
  { type, body }: Typed,
  header = '',
): Promise<number[]> {
  const connection = await connect(url);
  connection.send(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${header}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  connection.send(body);
  connection.send('GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  return [...(await connection.rest()).matchAll(/HTTP\/1\.1 (\d+) /g)].map((match) => Number(match[1]));
}
