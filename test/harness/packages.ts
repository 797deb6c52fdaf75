import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { installed, repo } from './installed.js';

/** The folder of a test run in which the packages of `test/<name>` are installed, by the first test that asks. */
export const packages = (name: string): string =>
  installOnce(name, (folder) => {
    for (const file of ['package.json', 'package-lock.json']) {
      const from = path.join(repo, 'test', name, file);
      if (existsSync(from)) copyFileSync(from, path.join(folder, file));
    }
  });

/** A folder in which one package is installed under a name of its own. */
export const packageAs = (name: string, specifier: string): string => packagesAs(name, { [name]: specifier });

/** A folder of a name in which packages are installed. */
export const packagesAs = (name: string, dependencies: Readonly<Record<string, string>>): string =>
  installOnce(name, (folder) =>
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, dependencies })),
  );

/** A package as it is published, `fwkit` or another of this repository: what the test run has installed, or else made of it. */
export function tarball(name = 'fwkit'): string {
  const folder = installed();
  const prefix = `${name.replace('@', '').replace('/', '-')}-`;
  const made = () =>
    readdirSync(folder).find(
      (file) => file.startsWith(prefix) && /^\d.*\.tgz$/.test(file.slice(prefix.length)),
    );
  if (made() === undefined) {
    const staged = path.join(folder, 'staged');
    execFileSync(process.execPath, ['bundle/stage.js', staged], { cwd: repo });
    const folders = readdirSync(staged).map((one) => path.join(staged, one));
    execFileSync('npm', ['pack', ...folders, '--silent', '--pack-destination', folder], { stdio: 'pipe' });
  }
  return path.join(folder, made() ?? '');
}

function installOnce(name: string, prepare: (folder: string) => void): string {
  const folder = path.join(installed(), name);
  if (existsSync(folder)) return folder;
  // Test files run beside one another: whoever is done first has made it, and nobody sees half of it.
  const made = `${folder}-${process.pid}`;
  mkdirSync(made, { recursive: true });
  prepare(made);
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  execFileSync('npm', args, { cwd: made, stdio: 'pipe' });
  try {
    renameSync(made, folder);
  } catch {
    rmSync(made, { recursive: true, force: true });
  }
  return folder;
}
