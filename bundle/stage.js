// Puts what is published into a folder, dist/package unless another is given: `npm publish dist/package`. Its package.json
// lacks what is for this repository alone. A `prepare` in it, which a clone needs to build itself, would have npm warn
// whoever installs the package of a script that is not even run.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2] ?? 'dist/package';
const {
  private: _,
  scripts,
  devDependencies,
  workspaces,
  ...manifest
} = JSON.parse(readFileSync('package.json', 'utf8'));

rmSync(folder, { recursive: true, force: true });
// `files` stays in the manifest: what of a directory is published, npm decides by it.
const directories = manifest.files.map((pattern) => pattern.replace(/\/\*.*/, ''));
for (const path of new Set([...directories, 'README.md', 'LICENSE']))
  cpSync(path, join(folder, path), { recursive: true });
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
