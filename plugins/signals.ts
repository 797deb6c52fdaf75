import { once } from 'node:events';

/**
 * Resolves at the first SIGINT or SIGTERM, with the status of a process that such a signal ends: 128 plus its number, as
 * shells report it. A second one does not wait for what is being finished.
 */
export async function untilStopped(): Promise<number> {
  const [, number] = await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
  return 128 + Number(number);
}
