import { statfsSync } from 'node:fs';

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
