import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between an app and a server. */
export interface TcpProxy {
  readonly port: number;
  /** Pass each piece on after so many milliseconds, in both directions. */
  delay(ms: number): void;
  /** From now on, have the connections that there are pass nothing on, without an end; or, `false`, have new ones work again. */
  swallow(isSwallowing: boolean): void;
  close(): void;
}

/** A network that can be slow, or swallow everything, in front of a port of this machine. */
export async function tcpProxy(port: number): Promise<TcpProxy> {
  let delay = 0;
  let isSwallowing = false;
  const sockets = new Set<Socket>();
  /** What they send goes nowhere, for ever. */
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
