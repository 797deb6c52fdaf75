import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../harness/fwk.js';
import { project } from '../harness/project.js';
import { tsc } from '../harness/tsc.js';
import { right, wrong } from './typed-project.js';

// What the generated types let through and what they stop, asked of the real compiler.

const test = suite('types');

test('right uses compile', async () => {
  const made = project(right);
  assert.is((await fwk(made, 'types')).status, 0);
  assert.equal(await tsc(made), []);
});

test('wrong uses do not, each at its line', async () => {
  const all = { ...right, ...wrong };
  const made = project(all);
  assert.is((await fwk(made, 'types')).status, 0);
  const told = (await tsc(made)).map(({ file, line, code }) => `${file}:${line} ${code}`);
  const expected = Object.entries(wrong).flatMap(([name, text]) =>
    text.split('\n').flatMap((line, index) => {
      const codes = line.split('//! ')[1]?.split(' ');
      return codes ? [codes.map((code) => `${made.label(name)}:${index + 1} ${code}`)] : [];
    }),
  );
  const missing = expected.filter((allowed) => !allowed.some((line) => told.includes(line)));
  const surplus = told.filter((line) => !expected.flat().includes(line));
  assert.equal({ missing, surplus }, { missing: [], surplus: [] });
});

test('without the generated types ctx has only what fwkit itself gives', async () => {
  const made = project({
    'api/x.get.ts': `import { get } from 'fwkit';
export default get((_req, _res, ctx) => {
  ctx.logger.info('a');
  return ctx.userStore;
});
`,
  });
  const told = await tsc(made);
  assert.equal(
    told.map(({ file, line }) => `${file}:${line}`),
    ['src/api/x.get.ts:4'],
  );
});

test('a provider whose file is renamed changes its key', async () => {
  const made = project({
    'services/old-name.ts': `import { service } from 'fwkit';\nexport default service(() => 1);\n`,
    'api/x.get.ts': `import { get } from 'fwkit';\nexport default get((_req, _res, ctx): number => ctx.newName);\n`,
  });
  await fwk(made, 'types');
  assert.is((await tsc(made)).length, 1);
  made.write('services/new-name.ts', made.read('services/old-name.ts'));
  made.remove('services/old-name.ts');
  await fwk(made, 'types');
  assert.equal(await tsc(made), []);
});

test.run();
