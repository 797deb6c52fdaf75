/** Loaded into a server before its own code: tells its memory to the parent as soon as it listens. */
import { Server } from 'node:net';

const { listen } = Server.prototype;
// No event tells of any server that listens: it has to be asked each one that is told to.
Server.prototype.listen = function (...args) {
  this.once('listening', () => {
    const { rss } = process.memoryUsage();
    globalThis.gc();
    process.send({ rss, heap: process.memoryUsage().heapUsed });
  });
  return listen.apply(this, args);
};
