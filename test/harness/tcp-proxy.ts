import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy between an app and a server. */
export interface TcpProxy {
  readonly port: number;
  /** Pass each piece on after so many milliseconds, in both directions. */
  delay(ms: number): void;
  /** Lead new connections to another port. */
  lead(port: number): void;
  /** Drops the data of existing connections without closing them; `false` lets new connections work again. */
  swallow(isSwallowing: boolean): void;
  close(): void;
}

/** A network in front of a port of this machine that can be slow or drop everything. */
export async function tcpProxy(first: number): Promise<TcpProxy> {
  let port = first;
  let delay = 0;
  let isSwallowing = false;
  const sockets = new Set<Socket>();
  /** Their data is dropped for good. */
  const lost = new Set<Socket>();

  const pass = (from: Socket, to: Socket, near: Socket): void => {
    sockets.add(from);
    from.on('data', (data) => {
      if (isSwallowing) lost.add(near);
      if (lost.has(near)) return;
      if (delay === 0) to.write(data);
      else setTimeout(() => to.write(data), delay);
    });
    from.on('error', () => {});
    from.on('close', () => {
      sockets.delete(from);
      if (!lost.has(near)) to.destroy();
    });
  };
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    if (isSwallowing) lost.add(near);
    pass(near, far, near);
    pass(far, near, near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    delay: (ms) => {
      delay = ms;
    },
    lead: (next) => {
      port = next;
    },
    swallow: (begins) => {
      isSwallowing = begins;
      if (begins) for (const socket of sockets) lost.add(socket);
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
