import { Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { Signals } from '../../app/process-end.js';
import { BootError, type ProjectPaths, Runtime } from '../../kernel/index.js';
import { STDIO, stdioLink } from '../../plugins/mcp/index.js';
import { NO_OFFERING } from '../terminal/report.js';
import { serveLive } from './serve.js';

/** How long shutdown may take after the client has disconnected, in milliseconds: a second later, clients send signals (MCP 2025-11-25). */
const END_TIMEOUT_MS = 150;

/** Serve the sources to the MCP client at stdin and stdout, and reload them on change, until the client disconnects. */
export async function serveStdio(paths: ProjectPaths): Promise<void> {
  const signals = new Signals();
  const output = reserveStdout();
  const runtime = new Runtime({ transport: STDIO, reloads: true });
  const link = await stdioLink(runtime, output);
  const serving = await serveLive(() => paths, runtime);
  if (!link.isConnected) throw new BootError(NO_OFFERING);
  await Promise.race([link.ended, signals.stopped()]);
  await Promise.race([serving.close(), setTimeout(END_TIMEOUT_MS)]);
  await Promise.race([new Promise<void>((resolve) => output.end(resolve)), setTimeout(END_TIMEOUT_MS)]);
}

/** Reserve stdout for a protocol: all other output goes to stderr. Returns the only function that still writes to stdout. */
function reserveStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  const reserved = new Writable({
    write: (chunk: Buffer, _encoding, done) => void write(chunk, (failure) => done(failure ?? null)),
  });
  // Modules may already hold the stream, read it from `process` later, or use the console, which may hold it too.
  const toStderr = stderr.write.bind(stderr);
  const end = (text?: unknown): void => void (typeof text === 'string' && stderr.write(text));
  Object.assign(stdout, { write: toStderr, end });
  const value = Object.create(stderr, { write: { value: toStderr }, end: { value: end } });
  Object.defineProperty(process, 'stdout', { value, configurable: true, enumerable: true });
  return reserved;
}
