import { join } from 'node:path';
import { conventionDirectories } from '../app/builtins.js';
import { locate, markIn, refuseWorkspaceRoot } from '../app/locate.js';
import { consoleLogger, type LoggerMaker } from '../app/loggers.js';
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
import { type SourceLoader, sourceLoader } from '../loader/index.js';

export const pathsOf = (flags: Flags): ProjectPaths => locate(String(flags.dir), conventionDirectories);

/**
 * Where `fwk scaffold` creates a project: in `src/`, or at the root with --js. Throws if the other place
 * already has a project, because one of two source directories would be ignored.
 */
export function newPaths(flags: Flags): ProjectPaths {
  const { root, source } = pathsOf(flags);
  const src = join(root, 'src');
  const mark = markIn(source, conventionDirectories());
  if (flags.js === true && source === src)
    throw new BootError({
      message: `With src/${mark} this is a project in src/, and directories at its root would not be read. Leave out --js, or move src/${mark} away.`,
      code: 'FWK608',
    });
  if (flags.js !== true && source === root && mark !== undefined)
    throw new BootError({
      message: `With ${mark} at its root this is a project in JavaScript layout, and it would not be read beside src/. Give --js, or move ${mark} into src/.`,
      code: 'FWK608',
    });
  return flags.js === true ? { root, source: root, language: 'js' } : { root, source: src, language: 'ts' };
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
}

/** The mode that sources run in: `development`, unless NODE_ENV is set. */
export function modeOfSources(): string {
  process.env.NODE_ENV ??= 'development';
  return process.env.NODE_ENV;
}

export const runFor = (name: string, { apply, ...options }: OpenOptions): Run => ({
  ...options,
  ...(apply ? { extra: { name: `fwk-${name}`, apply } } : {}),
});

export async function openSources(paths: ProjectPaths, run: Run = {}): Promise<Kernel> {
  refuseWorkspaceRoot(paths);
  const loader = run.loader ?? sourceLoader(paths.root);
  return openKernel({ logger: consoleLogger(), ...run, paths, mode: modeOfSources(), loader });
}
