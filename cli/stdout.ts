import { Writable } from 'node:stream';

/**
 * Keep stdout for a protocol: what anybody else writes to it from now on, with the console or without, goes to stderr.
 * Returns the only way to write to it.
 */
export function reserveStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  const reserved = new Writable({
    write: (chunk: Buffer, _encoding, done) => void write(chunk, (failure) => done(failure ?? null)),
  });
  // Modules may hold the stream already, or get it from `process` later, or use the console, which may hold it too.
  stdout.write = stderr.write.bind(stderr);
  stdout.end = () => stdout;
  Object.defineProperty(process, 'stdout', { value: stderr, configurable: true, enumerable: true });
  return reserved;
}
