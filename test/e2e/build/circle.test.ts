import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { project } from '../../harness/project.js';

// Services whose types lead to themselves: the compiler names each of them, `fwk build` says what to do, once.

const test = suite('circle of services');

const config = {
  compilerOptions: {
    target: 'es2022',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    rootDir: 'src',
    outDir: 'dist',
  },
  include: ['src', '.fwk/**/*'],
};
const ADVICE = 'Services that call each other in a circle need one return type: ';
const adviceIn = (stdout: string) => stdout.split('\n').filter((line) => line.startsWith(ADVICE));

test('methods that call each other: the advice names the first, and following it makes the project compile', async () => {
  const made = project({
    'tsconfig.json': JSON.stringify(config),
    'services/a.ts': `import { service } from 'fwkit';
export default service((ctx) => ({
  get: () => ctx.b.get(0),
}));
`,
    'di/b.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'singleton', value: ({ a }) => ({ get: (depth: number) => (depth > 9 ? 1 : a.get()) }) });
`,
  });
  const refused = await fwk(made, 'build');
  assert.is.not(refused.status, 0);
  assert.match(refused.stdout, /^src\/services\/a\.ts\(3,3\): error TS7023: /m);
  // After the errors, as the last line.
  assert.is(refused.stdout.trimEnd().split('\n').at(-1), `${ADVICE}annotate "get" in src/di/b.ts.`);
  assert.is(adviceIn(refused.stdout).length, 1);

  made.write('di/b.ts', made.read('di/b.ts').replace('(depth: number)', '(depth: number): number'));
  const { status, stdout } = await fwk(made, 'build');
  assert.is(status, 0, stdout);
  assert.equal(adviceIn(stdout), []);
});

test('factories that read each other: the advice names the factory', async () => {
  const made = project({
    'tsconfig.json': JSON.stringify(config),
    'services/c.ts': `import { service } from 'fwkit';\nexport default service((ctx) => ctx.d);\n`,
    'services/d.ts': `import { service } from 'fwkit';\nexport default service(async (ctx) => ({ c: ctx.c }));\n`,
  });
  const { status, stdout } = await fwk(made, 'build');
  assert.is.not(status, 0);
  assert.equal(adviceIn(stdout), [`${ADVICE}annotate the factory in src/services/c.ts.`]);
});

test('what leads to itself elsewhere gets no advice on services', async () => {
  const made = project({
    'tsconfig.json': JSON.stringify(config),
    'services/a.ts': `import { service } from 'fwkit';\nexport default service(() => 1 as string);\n`,
    'lib/services/a.ts': `export const a = { get: () => b.get() };\nexport const b = { get: () => a.get() };\n`,
  });
  const { status, stdout } = await fwk(made, 'build');
  assert.is.not(status, 0);
  assert.match(stdout, 'TS7023');
  assert.match(stdout, 'TS2352');
  assert.equal(adviceIn(stdout), []);
});

test.run();
