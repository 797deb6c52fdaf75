import { sep } from 'node:path';

/** Where a project is. */
export interface ProjectPaths {
  /** Absolute path of the project: where package.json, views/ and .fwk/ are. */
  readonly root: string;
  /** Absolute path of the directory that the convention directories are in: `root`, or `src` below it. */
  readonly source: string;
  /** The language of new files. Default: that of its files, and where there are none, TypeScript in `src`. */
  readonly language?: 'ts' | 'js';
}

/** A relative path as people read it on every system: with slashes. */
export const slashed = (path: string): string => path.split(sep).join('/');

/** Empty segments, `.` and `..`: a path with one is not as it would be written. */
export const NOT_PLAIN = /(?:^|\/)\.{0,2}(?:\/|$)/;
