/** Preloaded into a server: reports the server's memory to the parent as soon as it listens. */
import { Server } from 'node:net';

const { listen } = Server.prototype;
// Node has no global event for a listening server, so this patches `listen`.
Server.prototype.listen = function (...args) {
  this.once('listening', () => {
    const { rss } = process.memoryUsage();
    globalThis.gc();
    process.send({ rss, heap: process.memoryUsage().heapUsed });
  });
  return listen.apply(this, args);
};
