// Puts what is published into a folder, dist/package unless another is given: `npm publish dist/package`. Its package.json
// lacks what is for this repository alone. A `prepare` in it, which a clone needs to build itself, would have npm warn
// whoever installs the package of a script that is not even run.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const folder = process.argv[2] ?? 'dist/package';
const {
  private: _,
  scripts,
  devDependencies,
  workspaces,
  ...manifest
} = JSON.parse(readFileSync('package.json', 'utf8'));

rmSync(folder, { recursive: true, force: true });
const publish = (path) => cpSync(path, join(folder, path), { recursive: true });
for (const path of ['README.md', 'LICENSE', ...manifest.files.filter((path) => !path.includes('*'))])
  publish(path);

// Of the declarations, those that the public types are made of; the rest would say what nobody can import.
const declarations = new Set();
const follow = (file) => {
  if (declarations.has(file)) return;
  declarations.add(file);
  publish(file);
  // Examples in comments import, too.
  const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  for (const [, specifier] of code.matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g))
    follow(`${join(dirname(file), specifier)}.d.ts`);
};
for (const { types } of Object.values(manifest.exports)) if (types) follow(types);

writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
