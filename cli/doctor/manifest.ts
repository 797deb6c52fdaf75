import { packageManifest } from '../../app/package-manifest.js';
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
  const manifest = packageManifest(folder);
  if (manifest === undefined) return undefined;
  const { type, version, dependencies, devDependencies } = manifest;
  return {
    type,
    version,
    dependencies: isObject(dependencies) ? dependencies : {},
    devDependencies: isObject(devDependencies) ? devDependencies : {},
  };
}
