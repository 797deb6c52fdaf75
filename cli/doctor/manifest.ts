import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../../kernel/internal.js';

/** What of a package.json rules look at. */
export interface Manifest {
  readonly type?: unknown;
  readonly version?: unknown;
  readonly dependencies: Readonly<Record<string, unknown>>;
  readonly devDependencies: Readonly<Record<string, unknown>>;
}

/** The package.json in `folder`; undefined where there is none that can be read. */
export function manifestIn(folder: string): Manifest | undefined {
  try {
    const value: unknown = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8').replace(/^\uFEFF/, ''),
    );
    if (!isObject(value)) return undefined;
    const { type, version, dependencies, devDependencies } = value;
    return {
      type,
      version,
      dependencies: isObject(dependencies) ? dependencies : {},
      devDependencies: isObject(devDependencies) ? devDependencies : {},
    };
  } catch {
    return undefined;
  }
}
