/** Loaded into every server before its own code: tells what it has used to the parent, and ends with it. */
const tell = {
  cpu: () => process.cpuUsage(),
  memory() {
    const { rss } = process.memoryUsage();
    globalThis.gc();
    return { rss, heap: process.memoryUsage().heapUsed };
  },
};

process.on('message', (what) => process.send(tell[what]()));
process.on('disconnect', () => process.exit(0));
