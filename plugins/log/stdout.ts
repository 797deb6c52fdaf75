const ignore = (): void => {};

/** Streams whose failures are ignored: a full disk, or a reader that is gone, must not end what is served. */
const guarded = new WeakSet<NodeJS.WriteStream>();

/** Write a line to stdout, as one write. Never throws. What cannot be written is lost, and the next line tried again. */
export function writeStdout(line: string): void {
  // Another one may take its place, where stdout is kept for a protocol.
  const { stdout } = process;
  try {
    ignoreFailures(stdout);
    stdout.write(line);
  } catch {
    // There is nowhere to say so.
  }
}

/** Have failures of a stream end nothing from now on. A console looks away for as long as it writes alone, and a pipe fails later. */
export function ignoreFailures(stream: NodeJS.WriteStream): void {
  if (guarded.has(stream)) return;
  guarded.add(stream);
  stream.on('error', ignore);
}
