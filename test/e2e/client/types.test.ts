import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { repo } from '../../harness/installed.js';
import { linkLibraries, linkQuery } from '../../harness/libraries.js';
import { project } from '../../harness/project.js';
import { sampled } from '../../harness/sample.js';
import { compared, compilers, tsc, unreported } from '../../harness/tsc.js';
import { right, wrong } from './typed.js';

const base = { lib: ['es2023', 'dom'], allowJs: true, checkJs: true };
/** Each combines several common options, so that few runs cover them all. */
const settings: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'all stricter options': { noPropertyAccessFromIndexSignature: true, noImplicitOverride: true },
  'strict only, declarations for a bundler': {
    exactOptionalPropertyTypes: false,
    noUncheckedIndexedAccess: false,
    module: 'esnext',
    moduleResolution: 'bundler',
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: '.',
    outDir: 'declarations',
  },
};

const made = project({ ...right, ...wrong });
linkLibraries(made);
linkQuery(made);
symlinkSync(path.join(repo, 'node_modules/@types'), path.join(made.root, 'node_modules/@types'));
const written = await fwk(made, 'types');

for (const [version, compiler] of sampled(Object.entries(compilers))) {
  const test = suite(`TypeScript ${version}`);

  for (const [name, options] of sampled(Object.entries(settings)))
    test(name, async () => {
      assert.is(written.status, 0);
      const diagnostics = await tsc(made, compiler(), { ...base, ...options });
      assert.equal(compared(made, diagnostics, wrong), { missing: [], surplus: [] });
      assert.equal(unreported(diagnostics, wrong), []);
    });

  test.run();
}
