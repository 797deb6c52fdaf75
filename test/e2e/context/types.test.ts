import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, fwk, start } from '../../harness/fwk.js';
import { type Files, type Project, project } from '../../harness/project.js';
import { sampled } from '../../harness/sample.js';
import { compared, compilers, tsc, unreported } from '../../harness/tsc.js';
import { right, ring, ringReader, wrong } from './typed-ctx.js';

/** The compiler's cost for the whole project; checking a ring's types again for each service would be quadratic. */
const MOST_INSTANTIATIONS = 60_000;

const base = { allowJs: true, checkJs: true, skipLibCheck: true };
const settings: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'strict and exact': {},
  'strict only, with declarations': {
    exactOptionalPropertyTypes: false,
    noUncheckedIndexedAccess: false,
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: '.',
    outDir: 'declarations',
  },
};
/** The settings of the ring, which is compiled outside the harness because stdout has its cost. */
const ringConfig = {
  compilerOptions: {
    ...base,
    target: 'es2022',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noEmit: true,
  },
  include: ['src', '.fwk/**/*'],
};

const typed = async (files: Files): Promise<Project> => {
  const made = project(files);
  assert.is((await fwk(made, 'types')).status, 0);
  return made;
};

const uses = await typed({ ...right, ...wrong });
const circle = await typed({
  ...right,
  ...ring,
  ...ringReader,
  'tsconfig.json': JSON.stringify(ringConfig),
});

for (const [version, compiler] of sampled(Object.entries(compilers))) {
  const test = suite(`TypeScript ${version}`);

  for (const [name, options] of Object.entries(settings))
    test(`wrong uses do not compile, each with its reason: ${name}`, async () => {
      const diagnostics = await tsc(uses, compiler(), { ...base, ...options });
      assert.equal(compared(uses, diagnostics, wrong), { missing: [], surplus: [] });
      assert.equal(unreported(diagnostics, wrong), []);
    });

  test('the types of asynchronous services that read each other in a cycle are inferred', async () => {
    const running = start(compiler(), ['--extendedDiagnostics'], circle.root);
    const { status, stdout } = await ended(running, 'tsc');
    assert.is(status, 0, stdout);
    const instantiations = Number(/Instantiations: +(\d+)/.exec(stdout)?.[1]);
    assert.ok(instantiations < MOST_INSTANTIATIONS, stdout);
  });

  test.run();
}
