import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { type Project, project } from '../../harness/project.js';
import { build, MAIN, production, TSCONFIG } from '../../harness/settings.js';
import { route } from '../../harness/source.js';

// A build that is refused, and what it leaves.

const test = suite('a build that is refused');

const says = (text: string): string => route('get', `() => '${text}'`);
const TOLD = 'There are errors, so nothing was written: dist is as it was before.';

async function served(made: Project, path: string): Promise<string> {
  const { child, end, url } = await production(made);
  const text = await (await fetch(url + path)).text();
  child.kill('SIGTERM');
  assert.is((await end).status, 0);
  return text;
}

test('by the compiler, it writes nothing, and the build before is served', async () => {
  const made = project({ 'tsconfig.json': TSCONFIG, 'main.ts': MAIN, 'api/x.ts': says('good') });
  made.write('api/x.ts', `${says('first')}\nexport const wrong: number = 'text';\n`);
  const first = await fwk(made, 'build');
  assert.is.not(first.status, 0);
  assert.not.ok(made.exists('dist'));
  assert.not.match(first.stdout, TOLD);

  made.write('api/x.ts', says('good'));
  await build(made);
  made.write('api/x.ts', `${says('refused')}\nexport const wrong: number = 'text';\n`);
  made.write('api/added.ts', says('added'));
  const refused = await fwk(made, 'build');
  assert.is.not(refused.status, 0);
  assert.match(refused.stdout, /^src\/api\/x\.ts\(\d+,14\): error TS2322: /m);
  assert.is(refused.stdout.trimEnd().split('\n').at(-1), TOLD);
  assert.not.ok(made.exists('dist/api/added.js'));
  assert.is(await served(made, '/api/x'), '"good"');

  // Whoever writes it into the settings wants it.
  made.write('tsconfig.json', TSCONFIG.replace('"strict":true', '"strict":true,"noEmitOnError":false'));
  const wanted = await fwk(made, 'build');
  assert.is.not(wanted.status, 0);
  assert.not.match(wanted.stdout, TOLD);
  assert.match(made.read('dist/api/x.js'), 'refused');
});

test.run();
