import { statfsSync, watch } from 'node:fs';
import { basename, relative } from 'node:path';
import type { Problem } from '../../../kernel/index.js';
import { statsOf } from './snapshot.js';

/** Linux file systems that report only changes made on this machine, such as network drives, by the type that `statfs` returns. */
const SILENT_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0xff53_4d42, 'SMB'],
  [0xfe53_4d42, 'SMB'],
  [0x0102_1997, '9p'],
  [0x6573_5546, 'FUSE'],
  [0x786f_4256, 'VirtualBox'],
  [0x7c7c_6673, 'Parallels'],
]);

/** Milliseconds between two checks of a polled file, … */
const MIN_INTERVAL_MS = 100;

/** … or this many for each file of the project: a check takes about 20 µs, so polling uses at most a tenth of a core. */
const INTERVAL_PER_FILE_MS = 0.2;

/** Milliseconds after a change until all files are checked again: FUSE caches lists of files for 1 s, and NFS for 3 s. */
const RECHECK_DELAYS_MS = [1_500, 4_000];

/** A listener of `fs.watch`: `name` is the entry of the directory that changed, or null if it is unknown. */
export type WatchListener = (event: string, name: string | null) => void;

export interface Watch {
  close(): unknown;
}

interface Listener {
  fileCount(): number;
  missed(): void;
  /** Directories are polled automatically, without `FWK_POLL`. */
  problem(problem: Problem): void;
}

/** Watches single directories: by events where the file system reports them, otherwise by polling. */
export class DirectoryEvents {
  /** True: poll every directory. False: never poll. */
  #isPolled: boolean | undefined;
  #isLimitReported = false;
  /** By device, whether its file system reports no events. */
  readonly #isSilent = new Map<bigint, boolean>();
  readonly #opening = new Set<object>();
  #recheckTimers: readonly NodeJS.Timeout[] = [];

  constructor(
    private readonly root: string,
    isPolled: boolean | undefined,
    private readonly on: Listener,
  ) {
    // On other systems, Node watches single files, or does nothing.
    this.#isPolled = ['linux', 'darwin', 'win32'].includes(process.platform) ? isPolled : true;
  }

  /** Whether one watcher reports everything below its directory. Linux needs one per directory; elsewhere, several would cost too much. */
  get isRecursive(): boolean {
    return this.#isPolled !== true && process.platform !== 'linux';
  }

  /** Call `heard` for each changed entry of `directory`, and with the directory's own name when it is deleted. */
  watch(directory: string, heard: WatchListener, device = statsOf(directory)?.dev): Watch | undefined {
    if (device === undefined) return undefined;
    if (this.#isPolled ?? this.#reportsNothing(directory, device)) return this.#poll(directory, heard);
    let current: Watch | undefined;
    const failed = (thrown: unknown): void => {
      current?.close();
      current = undefined;
      if (isAbsence(thrown)) return heard('rename', basename(directory));
      this.#isPolled = true;
      current = this.#poll(directory, heard);
      if (this.#isLimitReported) return;
      this.#isLimitReported = true;
      this.on.problem(describeLimit(thrown));
    };
    try {
      const watcher = watch(directory, { recursive: this.isRecursive }, heard);
      current = watcher.on('error', failed);
    } catch (thrown) {
      if (isAbsence(thrown)) return undefined;
      failed(thrown);
    }
    return { close: () => current?.close() };
  }

  /** Whether `directory` is on a file system without events. The first directory on each such file system is reported. */
  #reportsNothing(directory: string, device: bigint): boolean {
    if (process.platform !== 'linux') return false;
    const known = this.#isSilent.get(device);
    if (known !== undefined) return known;
    const name = SILENT_FILE_SYSTEMS.get(typeOf(directory));
    this.#isSilent.set(device, name !== undefined);
    if (name !== undefined) {
      const path = relative(this.root, directory) || 'the project';
      const message = `fwk dev polls ${path} for changes: it is on a file system (${name}) that reports only the changes made on this machine. If saves are noticed without polling, set FWK_POLL=0.`;
      this.on.problem({ message, code: 'FWK622' });
    }
    return name !== undefined;
  }

  close(): void {
    for (const timer of this.#recheckTimers) clearTimeout(timer);
  }

  #scheduleRechecks(): void {
    this.close();
    this.#recheckTimers = RECHECK_DELAYS_MS.map((delay) => setTimeout(() => this.on.missed(), delay).unref());
  }

  #poll(directory: string, heard: WatchListener): Watch {
    let close: (() => unknown) | undefined;
    let isClosed = false;
    const opening = {};
    this.#opening.add(opening);
    const opened = (): void => {
      if (this.#opening.delete(opening) && this.#opening.size === 0) this.on.missed();
    };
    import('chokidar').then((chokidar) => {
      if (isClosed) return;
      const interval = Math.max(MIN_INTERVAL_MS, INTERVAL_PER_FILE_MS * this.on.fileCount());
      const watcher = chokidar
        .watch(directory, {
          usePolling: true,
          interval,
          binaryInterval: interval,
          depth: 0,
          ignoreInitial: true,
        })
        .on('all', (event, path) => {
          heard(event === 'change' ? 'change' : 'rename', basename(path));
          this.#scheduleRechecks();
        })
        .on('ready', opened)
        .on('error', (thrown) => {
          if (!isAbsence(thrown)) console.error(thrown);
        });
      close = () => watcher.close();
    }, console.error);
    return {
      close: () => {
        isClosed = true;
        this.#opening.delete(opening);
        return close?.();
      },
    };
  }
}

function typeOf(directory: string): number {
  try {
    return statfsSync(directory).type >>> 0;
  } catch {
    return 0;
  }
}

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';

/** Whether an error only means that something is missing or unreadable, so that there is nothing to watch. */
export const isAbsence = (thrown: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'].includes(codeOf(thrown));

function describeLimit(thrown: unknown): Problem {
  const [reason, remedy] = explain(thrown);
  const message = `The system does not report every change: ${reason}. fwk dev polls the remaining directories. ${remedy}, then start it again.`;
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
