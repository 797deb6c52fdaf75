import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** As root, else as a user who plays root in a namespace of its own. */
const WAYS = [[], ['--user', '--map-root-user']].map((more) => [...more, '--pid', '--fork', '--mount-proc']);

/** What to put before a command that is to run as process 1, as in a container; undefined where that is not allowed. */
export function processOne(): readonly string[] | undefined {
  const way = WAYS.find((flags) => spawnSync('unshare', [...flags, 'true']).status === 0);
  return way && ['unshare', '--kill-child', ...way];
}

/** The process that `unshare` has started, as it is called out here. */
export const inside = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
