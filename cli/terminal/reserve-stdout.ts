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
  const toStderr = stderr.write.bind(stderr);
  const end = (text?: unknown): void => void (typeof text === 'string' && stderr.write(text));
  Object.assign(stdout, { write: toStderr, end });
  const value = Object.create(stderr, { write: { value: toStderr }, end: { value: end } });
  Object.defineProperty(process, 'stdout', { value, configurable: true, enumerable: true });
  return reserved;
}
