/** Loaded into every server before its own code: tells its CPU time or memory to the parent and ends with it. */
process.on('message', (asked) =>
  process.send(asked === 'memory' ? process.memoryUsage() : process.cpuUsage()),
);
process.on('disconnect', () => process.exit(0));
