import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { installed, repo } from './installed.js';

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
/** Where the packages that tests use are kept between runs. */
export const KEPT = path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'fwkit-tests');

/** The folder in which the packages of `test/tools` are installed, by the first test that asks. */
export const tools = (): string => installedFrom('tools');

/** The same for `test/tools/long`, whose packages only the long run uses. */
export const longTools = (): string => installedFrom('tools/long');

/** The same for `test/tools/recipes`, with the libraries of recipes that only the long run tests. */
export const recipeTools = (): string => installedFrom('tools/recipes');

function installedFrom(folder: string): string {
  const texts = ['package.json', 'package-lock.json'].map((file) => [
    file,
    readFileSync(path.join(repo, 'test', folder, file), 'utf8'),
  ]);
  return installOnce(folder, Object.fromEntries(texts));
}

/** A folder in which a package is installed under another name. */
export const packageAs = (name: string, specifier: string): string =>
  installOnce(name, {
    'package.json': JSON.stringify({ private: true, dependencies: { [name]: specifier } }),
  });

/** A packed package, `fwkit` or another of this repository: from the test run's install, or packed now. */
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

/**
 * Installs the packages that `files` list, once per week: unpacking a gigabyte of Node versions and clients takes a
 * minute. The folder is in the user's cache directory, so that other clones use it too.
 */
function installOnce(name: string, files: Readonly<Record<string, string>>): string {
  const week = Math.floor(Date.now() / WEEK_MS);
  const digest = createHash('sha256')
    .update(JSON.stringify([files, week]))
    .digest('hex')
    .slice(0, 12);
  const folder = path.join(KEPT, `${name.replaceAll('/', '-')}-${digest}`);
  if (existsSync(folder)) return folder;
  // Test files run in parallel: the first to finish renames its folder into place, so none sees an incomplete one.
  const made = `${folder}-${process.pid}`;
  mkdirSync(made, { recursive: true });
  removeOld();
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(made, file), text);
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund'];
  try {
    execFileSync('npm', args, { cwd: made, stdio: 'pipe' });
    renameSync(made, folder);
  } catch (cause) {
    rmSync(made, { recursive: true, force: true });
    if (!existsSync(folder)) throw cause;
  }
  return folder;
}

/** Removes installs older than last week; a run that began then still has its own. */
function removeOld(): void {
  for (const name of readdirSync(KEPT)) {
    const folder = path.join(KEPT, name);
    if (Date.now() - statSync(folder).mtimeMs > 2 * WEEK_MS) rmSync(folder, { recursive: true, force: true });
  }
}
