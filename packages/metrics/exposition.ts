import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'fwkit';
import { BootError } from 'fwkit/plugin';

export interface Address {
  readonly host: string;
  readonly port: number;
  readonly path: string;
}

/** The maximum number of open connections. Few clients fetch metrics. */
const MAX_CONNECTIONS = 32;

export class Exposition {
  #server: Server | undefined;
  #address: Address | undefined;

  constructor(private readonly text: () => Promise<string>) {}

  /** Listen on this address instead of the previous one. Throws BootError if that fails. */
  async listen(address: Address, logger: Logger): Promise<void> {
    const before = this.#address;
    this.#address = address;
    if (this.#server && before?.host === address.host && before.port === address.port) return;
    await this.close();
    const server = createServer((request, response) => {
      const path = request.url?.split('?', 1)[0];
      if (path !== this.#address?.path) return void response.writeHead(404).end();
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return void response.writeHead(405, { Allow: 'GET, HEAD' }).end();
      this.text().then(
        (text) => {
          response.setHeader('Content-Type', 'text/plain; version=0.0.4; charset=utf-8');
          response.end(text);
        },
        (thrown) => {
          logger.error('Cannot collect metrics:', thrown);
          response.writeHead(500).end();
        },
      );
    });
    server.maxConnections = MAX_CONNECTIONS;
    await new Promise<void>((resolve, reject) => {
      server.once('error', (cause: NodeJS.ErrnoException) => reject(refusal(cause, address)));
      server.listen(address.port, address.host, resolve);
    });
    this.#server = server;
    // A port that the system has chosen is known only from the log.
    const { port } = server.address() as AddressInfo;
    logger[address.port === 0 ? 'info' : 'debug'](
      `Metrics: http://${hostOf(address)}:${port}${address.path}`,
    );
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }
}

const hostOf = ({ host }: Address): string => (host.includes(':') ? `[${host}]` : host);

function refusal(cause: NodeJS.ErrnoException, { host, port }: Address): Error {
  const messages: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} for metrics is already in use on ${host}. Stop the other process, or set another port with metrics.port in fwk.config.`,
    EACCES: `This process is not allowed to use port ${port} for metrics. Set a port above 1023 with metrics.port in fwk.config.`,
    ENOTFOUND: `The host "${host}" for metrics cannot be resolved. Set a host of this machine with metrics.host in fwk.config.`,
    EADDRNOTAVAIL: `The host "${host}" for metrics is not an address of this machine. Set an address of this machine with metrics.host in fwk.config.`,
  };
  const message = messages[cause.code ?? ''];
  return message === undefined ? cause : new BootError({ message, code: 'FWK850' });
}
