import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { patience, withPatience } from './patience.js';

/** An answer, its body read. */
export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; throws if it is not JSON. */
  readonly json: unknown;
}

/** A request. `path` is sent exactly as written, while fetch would normalize `//`, `/../` and `%zz`. */
export interface Sent {
  readonly method?: string;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly body?: string | Buffer;
  readonly agent?: http.Agent;
}

/** Sends a request with its path untouched. */
export function request(url: string, path: string, sent: Sent = {}): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const { body, ...options } = sent;
  return new Promise((resolve, reject) => {
    const outgoing = http.request({ hostname, port, path, ...options }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const { statusCode = 0, headers } = incoming;
        resolve({
          status: statusCode,
          headers,
          text,
          get json(): unknown {
            return JSON.parse(text);
          },
        });
      });
    });
    const limit = patience();
    outgoing.setTimeout(limit, () => outgoing.destroy(new Error(`No answer to ${path} in ${limit} ms.`)));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Opens a TCP connection to the server. It reports no errors, because a server may cut it. */
export async function tcp(url: string, options: { readonly allowHalfOpen?: true } = {}): Promise<net.Socket> {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port), autoSelectFamily: true, ...options });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Has a server listen on a free port of this machine; resolves with its URL. */
export async function listening(server: net.Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
}

/** A raw connection, for requests that no client library sends. */
export interface Connection {
  send(text: string | Buffer): void;
  /** Sends data and resolves when the system has accepted all of it; rejects if the server no longer accepts data. */
  sent(data: Buffer): Promise<void>;
  /** Resolves with all that came once it matches, or once the server has closed the connection. */
  read(until: RegExp): Promise<string>;
  /** Resolves with all that comes until the server closes the connection. */
  rest(): Promise<string>;
  readonly closed: boolean;
  /** Reads nothing until `resume`. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** Opens a plain TCP connection to the server. */
export async function connect(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port), autoSelectFamily: true });
  let text = '';
  let closed = false;
  let look = () => {};
  await withPatience(
    new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject)),
    (limit) => new Error(`No connection to ${url} in ${limit} ms.`),
  );
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
    look();
  });
  // A server may close while the test still writes: `closed` reports that instead of an error.
  socket.on('error', () => {});
  socket.on('close', () => {
    closed = true;
    look();
  });
  // Called for every chunk, so a search for the end must not scan megabytes each time.
  const take = (enough: () => boolean, awaited: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const limit = patience();
      const timer = setTimeout(
        () => reject(new Error(`${awaited} within ${limit} ms; what came:\n${text}`)),
        limit,
      );
      look = () => {
        if (!closed && !enough()) return;
        clearTimeout(timer);
        look = () => {};
        const got = text;
        text = '';
        resolve(got);
      };
      look();
    });
  return {
    send: (data) => void socket.write(data),
    sent: (data) =>
      new Promise((resolve, reject) => {
        socket.write(data, (failure) => (failure ? reject(failure) : resolve()));
      }),
    read: (until) => take(() => until.test(text), `Nothing like ${until} came`),
    rest: () => take(() => false, 'The server did not close the connection'),
    get closed() {
      return closed;
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close: () => void socket.destroy(),
  };
}
