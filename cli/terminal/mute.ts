/** Run project code without a word of its own: stdout is for the table. */
export async function withoutOutput<T>(run: () => Promise<T>): Promise<T> {
  const { log, info, debug, warn, error } = console;
  const { stdout } = process;
  const { write, end } = stdout;
  const silence = (): void => {};
  Object.assign(console, { log: silence, info: silence, debug: silence, warn: silence, error: silence });
  Object.assign(stdout, { write: () => true, end: silence });
  try {
    return await run();
  } finally {
    Object.assign(console, { log, info, debug, warn, error });
    Object.assign(stdout, { write, end });
  }
}
