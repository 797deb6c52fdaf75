import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../kernel/internal.js';

/** The package.json in `folder`; undefined where there is none that can be read. */
export function packageManifest(folder: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const text = readFileSync(join(folder, 'package.json'), 'utf8').replace(/^\uFEFF/, '');
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
