import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { conventionDirectories } from '../app/builtins.js';
import { locate, markIn, refuseWorkspaceRoot } from '../app/locate.js';
import { consoleLogger, type LoggerMaker, silentLogger } from '../app/loggers.js';
import { openKernel } from '../app/open-kernel.js';
import type { Flags, OpenOptions } from '../contributions/index.js';
import {
  BootError,
  type Kernel,
  type Logger,
  type Metadata,
  type Plugin,
  type Project,
  type ProjectOptions,
  type ProjectPaths,
} from '../kernel/index.js';
import { type SourceLoader, sourceLoader, upwards } from '../loader/index.js';

export const pathsOf = (flags: Flags): ProjectPaths =>
  locate(rootOf(flags.dir === undefined ? undefined : String(flags.dir)), conventionDirectories);

/** The folder of the project for `--dir`. Without the flag, it may be above the current folder, such as `src/api`. */
export function rootOf(dir = '.'): string {
  const here = resolve(dir);
  if (dir !== '.' || existsSync(join(here, 'package.json'))) return dir;
  for (const root of upwards(here)) {
    if (!existsSync(join(root, 'package.json'))) continue;
    const marks = conventionDirectories();
    const { source } = locate(root, () => marks);
    if (markIn(source, marks) === undefined) return dir;
    if (source !== root && `${here}${sep}`.startsWith(source + sep)) return root;
    const isOther = [here, join(here, 'src')].some((path) => markIn(path, marks) !== undefined);
    return isOther ? dir : root;
  }
  return dir;
}

/**
 * Where `fwk scaffold` creates a project: in `src/`, or at the root with --js, or if a JavaScript project is there. Throws if
 * the other place already has one.
 */
export function newPaths(flags: Flags): ProjectPaths {
  const dir = String(flags.dir);
  if (!existsSync(dir)) mkdirSync(dir, { recursive: true });
  const { root, source } = locate(dir, conventionDirectories);
  const src = join(root, 'src');
  const mark = markIn(source, conventionDirectories());
  if (flags.js === true && source === src && mark !== undefined)
    throw new BootError({
      message: `src/${mark} makes src/ the source directory of this project, so fwk would ignore directories at its root. Omit --js, or move src/${mark} to another place.`,
      code: 'FWK608',
    });
  const isInRoot = source === root && mark !== undefined;
  if (flags.js !== true && isInRoot && existsSync(join(root, 'tsconfig.json')))
    throw new BootError({
      message: `With ${mark} at its root this is a project in JavaScript layout, and it would not be read beside src/. Give --js, or move ${mark} into src/.`,
      code: 'FWK608',
    });
  return flags.js === true || isInRoot
    ? { root, source: root, language: 'js' }
    : { root, source: src, language: 'ts' };
}

interface Run {
  readonly logger?: Logger | LoggerMaker;
  readonly loader?: SourceLoader;
  readonly previous?: Project;
  readonly metadata?: Metadata | undefined;
  /** The metadata is from an earlier process and has to be verified. */
  readonly isRemembered?: boolean;
  readonly purpose?: ProjectOptions['purpose'];
  readonly overrides?: object;
  readonly extra?: Plugin;
  readonly ignoresConfig?: boolean;
}

/** The mode that sources run in: `development`, unless NODE_ENV is set. */
export function modeOfSources(): string {
  process.env.NODE_ENV ??= 'development';
  return process.env.NODE_ENV;
}

export const runFor = (name: string, { apply, isSilent, ...options }: OpenOptions): Run => ({
  ...options,
  ...(isSilent ? { logger: silentLogger } : {}),
  ...(apply ? { extra: { name: `fwk-${name}`, apply } } : {}),
});

export async function openSources(paths: ProjectPaths, run: Run = {}): Promise<Kernel> {
  refuseWorkspaceRoot(paths);
  const loader = run.loader ?? sourceLoader(paths.root);
  return openKernel({ logger: consoleLogger(), ...run, paths, mode: modeOfSources(), loader });
}
