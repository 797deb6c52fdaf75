import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { BootError, messageOf, type Problem } from '../kernel/index.js';

/** Variables that came from files, with their values. Remembered per process, like the environment itself. */
const fromFiles = new Map<string, string>();

export const envFiles = (mode: string): string[] => [
  `.env.${mode}.local`,
  `.env.${mode}`,
  '.env.local',
  '.env',
];

/** Load the `.env` files of `root`, without overriding set variables, and again after an edit. Throws a BootError for unreadable files. */
export function loadEnv(root: string, mode: string): void {
  for (const [name, value] of fromFiles) if (process.env[name] === value) delete process.env[name];
  fromFiles.clear();
  const problems: Problem[] = [];
  for (const file of envFiles(mode)) {
    const text = readIfThere(root, file, problems);
    const mistake = mistakeIn(text);
    if (mistake) problems.push({ file, ...mistake });
    for (const [name, value] of Object.entries(parseEnv(text))) {
      if (value === undefined || Object.hasOwn(process.env, name)) continue;
      process.env[name] = value;
      fromFiles.set(name, value);
    }
  }
  if (problems.length > 0) throw new BootError(problems);
}

function readIfThere(root: string, file: string, problems: Problem[]): string {
  const path = join(root, file);
  // Most of these files are missing, and creating an error takes 50 µs.
  if (!existsSync(path)) return '';
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return '';
    const message = `cannot be read: ${messageOf(cause)}. Make it a file that this user may read.`;
    problems.push({ file, message, code: 'FWK112' });
    return '';
  }
}

/** Assignments, with values in quotes over several lines, and comments. */
const VALID = /^[ \t]*(?:(?:export[ \t]+)?[\w.-]+[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`)?.*|#.*)$/gm;

/** Text from which `parseEnv` reads no variable. On Node 20, it does not read the next variable either. The text may be secret. */
function mistakeIn(text: string): Omit<Problem, 'file'> | undefined {
  if (text.includes('\0'))
    return { message: 'is not UTF-8, so its variables cannot be read. Save it as UTF-8.', code: 'FWK112' };
  // The lines are kept, so that they can be counted.
  const rest = text.replace(VALID, (valid) => valid.replace(/[^\n]/g, ''));
  const at = rest.search(/\S/);
  if (at === -1) return undefined;
  const line = rest.slice(0, at).split('\n').length;
  return { line, message: 'is not a variable. Write NAME=value, or delete the line.', code: 'FWK107' };
}

/** The largest port (RFC 9293 §3.1). 0 picks a free one. */
const LAST_PORT = 65_535;

/** Parses a port; undefined if the text is not a port. Only decimal digits are valid: `Number` also accepts `0x50`, `1e3` and ` 80 `, which are likely mistakes. */
export function readPort(text: string): number | undefined {
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return port <= LAST_PORT ? port : undefined;
}

/** The port in the environment variable `PORT`; 3000 if it is not set. Throws a BootError if the value is not a port. */
export function portFromEnvironment(): number {
  const given = process.env.PORT || '3000';
  const port = readPort(given);
  if (port !== undefined) return port;
  throw new BootError({
    message: `PORT is a whole number from 0 to 65535, not "${given}". Set it to one.`,
    code: 'FWK204',
  });
}
