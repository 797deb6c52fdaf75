import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { UsageError } from './usage.js';

/** Where a project is to be made. */
export interface Target {
  /** Absolute. */
  readonly folder: string;
  /** As people see it. */
  readonly shown: string;
  /** The name in package.json. */
  readonly name: string;
}

/** What npm takes for the name of a package, but for what a shell takes for something else where it begins. */
const NAME = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/;
/** The longest name, in characters. */
const MAX_NAME = 214;
/** A package cannot depend on one of its own name. */
const TAKEN: readonly string[] = ['fwkit', '@fwkit/build', 'node_modules', 'favicon.ico'];
/** What a folder may have in it and be empty still. */
const IGNORED: readonly string[] = ['.git', '.DS_Store'];

/** Where to make what was asked for. Throws a UsageError where that cannot be. */
export function targetOf(given: string, name: string | undefined): Target {
  // A variable of a script that is not set.
  if (given.trim() === '')
    throw new UsageError('The name of the project is empty. Give one: npm create fwkit my-app.');
  const isScoped = /^@[^/\\]+\/[^/\\]+$/.test(given);
  const shown = isScoped ? basename(given) : given;
  const folder = resolve(shown);
  const isThere = checkFolder(folder, shown);
  if (name !== undefined) checkName(name, '');
  else if (!isThere) checkName(isScoped ? given : basename(folder), ', or give another with --name');
  const own = name ?? (isScoped ? given : isThere ? similarName(basename(folder)) : basename(folder));
  return { folder, shown, name: own };
}

/** Whether a folder is there, and empty. Throws a UsageError for one that is not, and for a file. */
function checkFolder(folder: string, shown: string): boolean {
  const stats = statsOf(folder, shown);
  if (!stats) return false;
  if (!stats.isDirectory())
    throw new UsageError(`"${shown}" is there already and is not a folder. Choose another name.`);
  const [first, ...others] = readdirSync(folder).filter((name) => !IGNORED.includes(name));
  if (first === undefined) return true;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const where = resolve('.') === folder ? '' : `cd ${shown} && `;
  throw new UsageError(
    `"${shown}" is not empty: it has ${first}${more}. Choose another name, or complete what is there: ${where}npm install fwkit && npx fwk scaffold.`,
  );
}

function statsOf(folder: string, shown: string): Stats | undefined {
  try {
    return statSync(folder, { throwIfNoEntry: false }) ?? lstatSync(folder, { throwIfNoEntry: false });
  } catch (cause) {
    throw new UsageError(`"${shown}" cannot be made: ${(cause as Error).message}. Choose another folder.`);
  }
}

/** Refuse what cannot be the name of a package; `or` is what else there is to do. */
export function checkName(name: string, or: string): void {
  if (TAKEN.includes(name))
    throw new UsageError(`A project cannot be named "${name}": a package is. Choose another name${or}.`);
  if (NAME.test(name) && name.length <= MAX_NAME) return;
  const similar = similarName(name).slice(0, MAX_NAME);
  throw new UsageError(
    `"${name}" cannot be the name of a package, which is at most ${MAX_NAME} of a-z, 0-9, ".", "-" and "_", and begins with a letter or digit. Choose another, such as "${similar}"${or}.`,
  );
}

/** A name that a package can have. */
function similarName(name: string): string {
  const similar = name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '');
  return similar === '' || TAKEN.includes(similar) ? 'my-app' : similar;
}
