// Puts the published files into subfolders of one folder, dist/publish by default: `npm publish dist/publish/<name>`. Their package.json
// omits members that only this repository needs: npm would warn everyone who installs the package about the `prepare` script.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stageDocs } from './docs.js';

const target = process.argv[2] ?? 'dist/publish';
rmSync(target, { recursive: true, force: true });

const fwkit = readManifest('.');
stage('.', join(target, 'fwkit'), fwkit);
stageDocs(join(target, 'fwkit'));
// Of the declarations, only those that the public types use; the others describe modules that cannot be imported.
const declarations = new Set();
for (const { types } of Object.values(fwkit.exports)) if (types) follow(types);

for (const { name } of readdirSync('packages', { withFileTypes: true }).filter((one) => one.isDirectory())) {
  const folder = join('packages', name);
  const manifest = readManifest(folder);
  if (manifest.version !== fwkit.version)
    throw new Error(`${manifest.name} is version ${manifest.version}, and fwkit ${fwkit.version}.`);
  stage(folder, join(target, name), manifest);
}

function readManifest(folder) {
  const {
    private: _,
    scripts,
    devDependencies,
    workspaces,
    overrides,
    ...published
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return published;
}

function stage(from, to, manifest) {
  mkdirSync(to, { recursive: true });
  for (const path of ['README.md', ...manifest.files.filter((path) => !path.includes('*'))])
    cpSync(join(from, path), join(to, path), { recursive: true });
  cpSync('LICENSE', join(to, 'LICENSE'));
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

function follow(file) {
  if (declarations.has(file)) return;
  declarations.add(file);
  cpSync(file, join(target, 'fwkit', file), { recursive: true });
  // Examples in comments contain imports, too.
  const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  for (const [, specifier] of code.matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g))
    follow(`${join(dirname(file), specifier)}.d.ts`);
}
