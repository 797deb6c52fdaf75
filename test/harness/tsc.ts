import { ended, start } from './fwk.js';
import { bin } from './installed.js';
import type { Project } from './project.js';

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
  },
  include: ['src', '.fwk/**/*'],
};

/** What the compiler says of a file. */
export interface Told {
  readonly file: string;
  readonly line: number;
  readonly code: string;
  readonly message: string;
}

/** Runs the real TypeScript compiler, strict, over the project and gives what it tells. */
export async function tsc(project: Project): Promise<Told[]> {
  project.write('tsconfig.json', JSON.stringify(config, null, 2));
  const { status, stdout, stderr } = await ended(
    start(bin('tsc'), ['--pretty', 'false'], project.root),
    'tsc',
  );
  const told = [...stdout.matchAll(/^(\S+?)\((\d+),\d+\): error (TS\d+): (.*(?:\n +.*)*)/gm)].map(
    ([, file = '', line, code = '', message = '']) => ({ file, line: Number(line), code, message }),
  );
  // An error outside every file, such as a missing type library, must not look like a clean run.
  if ((status === 0) !== (told.length === 0))
    throw new Error(`tsc ended with ${status}:\n${stdout}${stderr}`);
  return told;
}
