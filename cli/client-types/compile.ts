import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { promisify } from 'node:util';
import { BootError } from '../../kernel/internal.js';
import { compilerFor } from '../build/tsc.js';

/** The compiler refuses to print a type of a million characters (TS7056). */
const PATHS_PER_TYPE = 20;

/** The compiler prints the types of these constants, since they follow from a function's result. */
function sourceFor(types: string): string {
  // One interface of each convention, which the compiler makes one.
  const interfaces = [...types.matchAll(/^ *interface Paths \{\n.*?^ *\}$/gms)].join('');
  const names = [...interfaces.matchAll(/^ *readonly ("(?:[^"\\]|\\.)*"): /gm)].map(([, name]) => name);
  const constants: string[] = [];
  for (let start = 0; start < names.length; start += PATHS_PER_TYPE) {
    const some = names.slice(start, start + PATHS_PER_TYPE).join(' | ');
    constants.push(`export const paths${start} = flat<${some}>();\n`);
  }
  return `import type { Paths } from 'fwkit';
import type { Flat } from 'fwkit/client';

declare const flat: <Path extends keyof Paths>() => Flat<Pick<Paths, Path>>;
${constants.join('')}`;
}

/** Of a project in JavaScript. */
const DEFAULTS = {
  target: 'es2022',
  lib: ['es2023', 'dom'],
  module: 'nodenext',
  strict: true,
  skipLibCheck: true,
  allowJs: true,
};

/**
 * The declaration of the project's `Paths`, printed by its own TypeScript, version 5.5 or later: by a compilation of its own, so
 * that it needs no API of the compiler, which version 7 does not have. Nothing of it stays. Throws a BootError where there is no
 * declaration.
 */
export async function declarationOf(root: string): Promise<string> {
  const folder = join(root, '.fwk/client');
  const hasConfig = existsSync(join(root, 'tsconfig.json'));
  const config = {
    ...(hasConfig ? { extends: '../../tsconfig.json' } : {}),
    compilerOptions: {
      ...(hasConfig ? {} : DEFAULTS),
      // The types are asked for; to report mistakes is for `fwk build`.
      noCheck: true,
      noEmit: false,
      noEmitOnError: false,
      declaration: true,
      emitDeclarationOnly: true,
      declarationMap: false,
      // A comment says where a type contains itself.
      removeComments: false,
      isolatedDeclarations: false,
      composite: false,
      incremental: false,
      tsBuildInfoFile: null,
      declarationDir: null,
      outFile: null,
      // Routes may import what is above the project.
      rootDir: parse(root).root,
      outDir: 'out',
    },
    include: [],
    exclude: [],
    files: ['paths.ts', '../types.d.ts'],
  };
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'paths.ts'), sourceFor(readFileSync(join(root, '.fwk/types.d.ts'), 'utf8')));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    return await compiled(root, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compiled(root: string, folder: string): Promise<string> {
  const args = [compilerFor(root), '--project', folder, '--listEmittedFiles', '--pretty', 'false'];
  // A status other than 0 may be that of a route that has no declaration, which nobody asked for.
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: root,
    maxBuffer: Number.POSITIVE_INFINITY,
  }).catch((failed: { readonly stdout?: string }) => ({ stdout: failed.stdout ?? '' }));
  const file = /^TSFILE: (.*[/\\]\.fwk[/\\]client[/\\]paths\.d\.ts)\r?$/m.exec(stdout)?.[1];
  // Mistakes of syntax, which are found without checking: what follows them may have any type.
  const torn = /^.*\berror TS1\d{3}:.*$/m.exec(stdout)?.[0];
  if (file !== undefined && torn === undefined) return readFileSync(file, 'utf8');
  const reason = torn ?? /^.*\berror TS\d+:.*$/m.exec(stdout)?.[0] ?? 'The compiler wrote nothing.';
  throw new BootError({
    message: `The types of the routes are not known while the project does not compile. Fix what fwk build reports. ${reason}`,
    code: 'FWK612',
  });
}
