import http from 'node:http';

/** The answer did not come, or broke off: right where a fault says so. */
export class Lost extends Error {}

/** An error of the server's that has to have a fault as its reason. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    text: string,
  ) {
    super(`${status} ${text.slice(0, 300)}`);
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** An answer that takes longer is lost, in milliseconds. */
const PATIENCE = 20_000;

/** Asks over connections that are kept, or over a new one each time. */
export class Client {
  readonly #port: number;
  readonly #kept = new http.Agent({ keepAlive: true, maxSockets: 8 });

  constructor(port: number) {
    this.#port = port;
  }

  /** Throws `Lost` where no whole answer comes, and `Refused` for 5xx. */
  ask(path: string, isKept: boolean, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const agent = isKept ? this.#kept : undefined;
      const own = isKept ? {} : { connection: 'close' };
      const lost = (why: string) => reject(new Lost(`${method} ${path}: ${why}`));
      const options = { host: '127.0.0.1', port: this.#port, method, path, ...(agent && { agent }) };
      const asked = http.request({ ...options, headers: { ...own, ...headers } }, (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('error', (cause) => lost(`the answer broke off: ${cause.message}`));
        answer.on('end', () => {
          clearTimeout(timer);
          const whole = Buffer.concat(pieces);
          const { statusCode: status = 0 } = answer;
          if (status >= 500) reject(new Refused(status, whole.toString()));
          else resolve({ status, headers: answer.headers, body: whole });
        });
      });
      const timer = setTimeout(() => asked.destroy(new Error(`no answer in ${PATIENCE / 1000} s`)), PATIENCE);
      asked.on('error', (cause) => {
        clearTimeout(timer);
        lost(`${asked.reusedSocket ? 'kept connection: ' : ''}${cause.message}`);
      });
      asked.end(body);
    });
  }

  close(): void {
    this.#kept.destroy();
  }
}
