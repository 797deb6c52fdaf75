import { readFileSync, statSync } from 'node:fs';

const CODE = /\.[cm]?[jt]sx?$/;

/**
 * The text of a module that an error names; undefined if it is missing. Only modules are read: a pipe or a device would block the
 * process, and other files must not be shown on a page.
 */
export function readCode(file: string): string | undefined {
  try {
    return CODE.test(file) && statSync(file).isFile() ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
