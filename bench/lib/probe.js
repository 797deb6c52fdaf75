/** Loaded into every server before its own code: tells its CPU time to the parent and ends with it. */
process.on('message', () => process.send(process.cpuUsage()));
process.on('disconnect', () => process.exit(0));
