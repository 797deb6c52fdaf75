import path from 'node:path';
import { ended, start } from './fwk.js';
import { bin } from './installed.js';
import { longTools } from './packages.js';
import { type Files, type Project, projectsFolder } from './project.js';

const config = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2023'],
    module: 'nodenext',
    types: ['node'],
    noEmit: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    // Declarations are only checked if they are under test, because that doubles the time.
    skipLibCheck: true,
  },
  include: ['src', '.fwk/**/*'],
};

/** TypeScript 5.9 takes ten seconds for a project with all schema libraries. */
const COMPILER_LIMIT_MS = 60_000;

/** A diagnostic of the compiler for a file. */
export interface Diagnostic {
  readonly file: string;
  readonly line: number;
  readonly code: string;
  readonly message: string;
}

/** The compilers that a project may have, by version; each is located or installed on demand. */
export const compilers: Readonly<Record<string, () => string>> = {
  7: () => bin('tsc'),
  5.9: () => path.join(longTools(), 'node_modules/typescript/bin/tsc'),
};

type CompilerOptions = Readonly<Record<string, unknown>>;

/** Runs a real TypeScript compiler over a strict project and returns its diagnostics. */
export async function tsc(
  project: Project,
  compiler = bin('tsc'),
  options: CompilerOptions = {},
): Promise<Diagnostic[]> {
  configure(project, options);
  return compile(compiler, [], project.root);
}

/**
 * Runs TypeScript 7 over all projects in one process, which takes a quarter of the time. File names are relative to
 * `projectsFolder()`.
 */
export async function tscOfAll(
  projects: readonly Project[],
  options: CompilerOptions = {},
): Promise<Diagnostic[]> {
  for (const one of projects) configure(one, options);
  return compile(bin('tsc'), ['--build', ...projects.map(({ root }) => root)], projectsFolder());
}

function configure(project: Project, options: CompilerOptions): void {
  const given = { ...config, compilerOptions: { ...config.compilerOptions, ...options } };
  project.write('tsconfig.json', JSON.stringify(given, null, 2));
}

async function compile(compiler: string, args: readonly string[], cwd: string): Promise<Diagnostic[]> {
  const { status, stdout, stderr } = await ended(
    start(compiler, [...args, '--pretty', 'false'], cwd),
    'tsc',
    undefined,
    COMPILER_LIMIT_MS,
  );
  const diagnostics = [...stdout.matchAll(/^(\S+?)\((\d+),\d+\): error (TS\d+): (.*(?:\n +.*)*)/gm)].map(
    ([, file = '', line, code = '', message = '']) => ({ file, line: Number(line), code, message }),
  );
  // An error outside every file, such as a missing type library, must not look like a clean run.
  if ((status === 0) !== (diagnostics.length === 0))
    throw new Error(`tsc ended with ${status}:\n${stdout}${stderr}`);
  return diagnostics;
}

/** Compares the diagnostics with the codes that lines expect (`//! TS2322 TS2345`); returns the differences. */
export function compared(project: Project, diagnostics: readonly Diagnostic[], wrong: Files) {
  const lines = diagnostics.map(({ file, line, code }) => `${file}:${line} ${code}`);
  const expected = Object.entries(wrong).flatMap(([name, text]) =>
    text.split('\n').flatMap((line, index) => {
      const codes = line.split('//! ')[1]?.split(' ');
      return codes ? [codes.map((code) => `${project.label(name)}:${index + 1} ${code}`)] : [];
    }),
  );
  return {
    missing: expected.filter((allowed) => !allowed.some((line) => lines.includes(line))),
    surplus: lines.filter((line) => !expected.flat().includes(line)),
  };
}

/** The lines whose diagnostic differs from the expected message (`//! TS2339 // … does not exist`). */
export function unreported(diagnostics: readonly Diagnostic[], wrong: Files): string[] {
  return Object.entries(wrong).flatMap(([file, text]) =>
    text.split('\n').flatMap((line, index) => {
      const expected = /\/\/! .* \/\/ (.*)$/.exec(line)?.[1];
      if (expected === undefined) return [];
      const found = diagnostics.filter((one) => one.file.endsWith(file) && one.line === index + 1);
      return found.some(({ message }) => message.includes(expected))
        ? []
        : [`${file}:${index + 1}: ${expected}\n${found.map(({ message }) => message).join('\n')}`];
    }),
  );
}
