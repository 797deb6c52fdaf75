import type { Logger } from 'fwkit';
import type { CommandRun, Resolved } from 'fwkit/plugin';

/** Resolves with the result of `work`. If `isRedirected` is set, other output goes to stderr meanwhile, so it doesn't mix with a report. */
export async function redirected<T>(isRedirected: boolean, work: () => Promise<T>): Promise<T> {
  const { stdout, stderr } = process;
  const { write } = stdout;
  if (isRedirected) stdout.write = stderr.write.bind(stderr);
  return work().finally(() => {
    stdout.write = write;
  });
}

const ignore = (): void => {};
const print = (...values: readonly unknown[]): void => console.error(...values);

/** Writes nothing: reports don't contain the log lines of guards. */
export const SILENT: Logger = {
  level: 'silent',
  trace: ignore,
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  fatal: ignore,
  child: () => SILENT,
};

/** Writes errors only: the project isn't started, so warnings about how it would run don't matter. */
const QUIET: Logger = { ...SILENT, level: 'error', error: print, fatal: print, child: () => QUIET };

/** Resolves with the result of `work` for the resolved sources of the project, which isn't started. */
export async function withProject<T>(
  { open }: CommandRun,
  work: (resolved: Resolved) => Promise<T>,
): Promise<T> {
  const resolved = await (await open({ purpose: 'build', logger: QUIET })).resolve();
  return work(resolved).finally(() => resolved.close());
}
