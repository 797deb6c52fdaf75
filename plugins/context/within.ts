/** Resolves when `done` has settled, and after `limit` milliseconds at the latest. */
export async function within(done: Promise<unknown>, limit: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limit);
  });
  await Promise.race([Promise.allSettled([done]), late]);
  clearTimeout(timer);
}
