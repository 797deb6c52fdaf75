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

/** Resolves with the result of `work` for the resolved sources of the project, which isn't started. */
export async function withProject<T>(
  { open }: CommandRun,
  work: (resolved: Resolved) => Promise<T>,
): Promise<T> {
  const resolved = await (await open({ purpose: 'build', isSilent: true })).resolve();
  return work(resolved).finally(() => resolved.close());
}
