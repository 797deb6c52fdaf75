import { once } from 'node:events';

/** Resolves at the first SIGINT or SIGTERM. A second one does not wait for what is being finished. */
export async function untilStopped(): Promise<void> {
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  // 128 plus the signal's number, as shells report it.
  process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
}
