import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { repo } from '../../harness/installed.js';
import { linkLibraries } from '../../harness/libraries.js';
import { type Files, project } from '../../harness/project.js';
import { sampled, unsampled } from '../../harness/sample.js';
import { compared, compilers, tsc, unreported } from '../../harness/tsc.js';
import * as live from './live-typed.js';
import * as routes from './validation-typed.js';

const right: Files = { ...routes.right, ...live.right };
const wrong: Files = { ...routes.wrong, ...live.wrong };

const base = { lib: ['es2023', 'dom'], allowJs: true, checkJs: true };
const settings: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  // Together with exactOptionalPropertyTypes and noUncheckedIndexedAccess, which the harness sets.
  'all stricter options': {
    noPropertyAccessFromIndexSignature: true,
    noImplicitOverride: true,
  },
  'strict only, for a bundler': {
    exactOptionalPropertyTypes: false,
    noUncheckedIndexedAccess: false,
    module: 'esnext',
    moduleResolution: 'bundler',
  },
  declarations: {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: '.',
    outDir: 'declarations',
  },
};

for (const [version, compiler] of sampled(Object.entries(compilers))) {
  const test = suite(`TypeScript ${version}`);

  // Settings mean the same to both compilers; the older one takes four times as long.
  for (const [name, options] of sampled(Object.entries(settings).slice(0, version === '7' ? undefined : 1)))
    test(name, async () => {
      const made = project({ ...right, ...wrong });
      linkLibraries(made);
      assert.is((await fwk(made, 'types')).status, 0);
      // 5.9 takes twenty seconds for the declarations of the libraries.
      const skipLibCheck = version !== '7';
      const diagnostics = await tsc(made, compiler(), { ...base, ...options, skipLibCheck });
      assert.equal(compared(made, diagnostics, wrong), { missing: [], surplus: [] });
      assert.equal(unreported(diagnostics, wrong), []);
    });

  unsampled(test)('the declarations of fwkit compile on their own', async () => {
    const { exports } = JSON.parse(readFileSync(path.join(repo, 'package.json'), 'utf8'));
    const entries = Object.keys(exports)
      .filter((name) => name !== './package.json')
      .map((name, at) => `export * as e${at} from 'fwkit${name.slice(1)}';\n`);
    assert.ok(entries.length > 5);
    const made = project({ 'lib/entries.ts': entries.join('') });
    assert.equal(
      await tsc(made, compiler(), { lib: ['es2023', 'dom', 'dom.iterable'], skipLibCheck: false }),
      [],
    );
  });

  test.run();
}
