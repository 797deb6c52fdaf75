import { readFileSync, statSync } from 'node:fs';

const CODE = /\.[cm]?[jt]sx?$/;

/**
 * The text of a module that an error names, to show the lines around it; undefined where there is none. What is no
 * module is never read: a pipe or a device would stop the process, and other files are not for a page to show.
 */
export function readCode(file: string): string | undefined {
  try {
    return CODE.test(file) && statSync(file).isFile() ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
