/** Run project code without a word of its own: stdout is for the table. */
export async function quietly<T>(run: () => Promise<T>): Promise<T> {
  const { log, info, debug, warn, error } = console;
  const silence = (): void => {};
  Object.assign(console, { log: silence, info: silence, debug: silence, warn: silence, error: silence });
  try {
    return await run();
  } finally {
    Object.assign(console, { log, info, debug, warn, error });
  }
}
