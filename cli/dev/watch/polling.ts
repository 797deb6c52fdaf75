import { statfsSync } from 'node:fs';
import type { Problem } from '../../../kernel/index.js';

/** Types of Linux file systems that tell only what this machine changed: 9p, NFS, CIFS, SMB 2, FUSE, vboxsf. */
const SILENT_FILE_SYSTEMS = new Set([
  0x0102_1997, 0x6969, 0xff53_4d42, 0xfe53_4d42, 0x6573_5546, 0x786f_4256,
]);

/** Milliseconds between two looks at all files, … */
const MIN_INTERVAL_MS = 500;

/** … or so many times what one look takes: a slow disk is not to be kept busy. */
const INTERVAL_PER_LOOK = 20;

/** Whether `directory` must be looked at because nobody would tell of its changes. */
export function isSilent(directory: string): boolean {
  if (!['linux', 'darwin', 'win32'].includes(process.platform)) return true;
  if (process.platform !== 'linux') return false;
  return SILENT_FILE_SYSTEMS.has(statfsSync(directory).type >>> 0);
}

/** Calls `look` again and again, from `start` to `stop`. */
export class Polling {
  readonly #look: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(look: () => void) {
    this.#look = look;
  }

  get runs(): boolean {
    return this.#timer !== undefined;
  }

  start(wait = MIN_INTERVAL_MS): void {
    this.#timer = setTimeout(() => {
      const begun = performance.now();
      this.#look();
      this.start(Math.max(MIN_INTERVAL_MS, INTERVAL_PER_LOOK * (performance.now() - begun)));
    }, wait);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';

/** Whether it says only that something is not there, or not for this user to read: nothing to watch. */
export const isAbsence = (thrown: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'].includes(codeOf(thrown));

/** Explains to a person that the system refused to watch. */
export function describeFailure(thrown: unknown): Problem {
  const [reason, remedy] = explain(thrown);
  const message = `The system does not tell of every change: ${reason}. fwk dev looks at all files now and then instead. ${remedy}, then start it again.`;
  return { message, code: 'FWK622' };
}

function explain(thrown: unknown): [reason: string, remedy: string] {
  const code = codeOf(thrown);
  if (code === 'ENOSPC')
    return [
      'its limit of watched directories is reached',
      'Raise it with "sudo sysctl fs.inotify.max_user_watches=524288"',
    ];
  if (code === 'EMFILE' && process.platform === 'linux')
    return [
      'its limit of programs that watch is reached',
      'End some, or raise it with "sudo sysctl fs.inotify.max_user_instances=1024"',
    ];
  if (code === 'EMFILE') return ['its limit of open files is reached', 'Raise it with "ulimit -n 10240"'];
  return [thrown instanceof Error ? thrown.message : String(thrown), 'Fix that'];
}
