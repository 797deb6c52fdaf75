import { copyFileSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, start } from '../../harness/fwk.js';
import { bin } from '../../harness/installed.js';
import { nodes } from '../../harness/nodes.js';
import type { Project } from '../../harness/project.js';
import { build, builtOnce, MAIN, production, TSCONFIG } from '../../harness/settings.js';
import { route } from '../../harness/source.js';

// `fwk build` keeps V8's compiled code of the core, which saves compilation at startup.

const test = suite('code cache');

const FILE = 'dist/fwk.code-cache';
/** A flag that every version of V8 includes in the cache's checksum. */
const FLAG = '--stack-trace-limit=50';

/** Reports whether the core was compiled from a code cache. */
const SPY = `const vm = require('node:vm');
vm.Script = class extends vm.Script {
  constructor(text, options) {
    super(text, options);
    const { filename, cachedData } = options;
    if (/core-.*cjs$/.test(filename))
      console.log(cachedData === undefined ? '[compiled]' : this.cachedDataRejected ? '[refused]' : '[kept]');
  }
};`;

const built = builtOnce({
  'tsconfig.json': TSCONFIG,
  'spy.cjs': SPY,
  'main.ts': MAIN,
  'api/hello.ts': route('get', `() => 'hello'`),
  'api/things/[id].ts': route('get', '(req) => req.params.id'),
});

/** Starts the build, sends a request and resolves with how the core was compiled. */
async function codeOf(made: Project, node = process.execPath, options = ''): Promise<string | undefined> {
  const flags = `NODE_OPTIONS=--require ${made.path('spy.cjs')} ${options}`;
  const { child, output, end, url } = await production(made, 'dist/main.js', node, [flags]);
  assert.is(await (await fetch(`${url}/api/hello`)).json(), 'hello');
  assert.is(await (await fetch(`${url}/api/things/7`)).json(), '7');
  child.kill('SIGTERM');
  const { status, stderr } = await end;
  assert.is(status, 0, stderr);
  return /\[(\w+)\]/.exec(output.stdout)?.[1];
}

test('a start uses the code cache of the build', async () => {
  assert.is(await codeOf(await built()), 'kept');
});

test('a start compiles if there is no code cache', async () => {
  const made = await built();
  made.remove(FILE);
  assert.is(await codeOf(made), 'compiled');
});

test('a damaged, truncated or foreign code cache is ignored', async () => {
  const made = await built();
  const whole = readFileSync(made.path(FILE));
  const torn = [0.2, 0.4, 0.6, 0.8].map((at) => {
    const bytes = Buffer.from(whole);
    bytes.fill(0, Math.floor(bytes.length * at), Math.floor(bytes.length * at) + 4_096);
    return bytes;
  });
  const others = [whole.subarray(0, whole.length - 1), whole.subarray(0, whole.length / 2), Buffer.alloc(0)];
  const older = Buffer.from(whole);
  // One digit of the digest that the code begins with, whichever it is.
  older[0] = whole[0] === 0x30 ? 0x31 : 0x30;
  for (const bytes of [...torn, ...others, older]) {
    writeFileSync(made.path(FILE), bytes);
    assert.is(await codeOf(made), 'compiled');
  }
});

test('V8 rejects the cache if its flags differ, and the app runs', async () => {
  const made = await built();
  assert.is(await codeOf(made, process.execPath, FLAG), 'refused');
  const again = start('/usr/bin/env', [`NODE_OPTIONS=${FLAG}`, bin('fwk'), 'build'], made.root);
  assert.is((await ended(again, 'fwk build')).status, 0);
  assert.is(await codeOf(made, process.execPath, FLAG), 'kept');
});

test('another build of the same Node version ignores the cache', async () => {
  const made = await built();
  const other = made.path('node');
  copyFileSync(process.execPath, other);
  utimesSync(other, 1, 1);
  assert.is(await codeOf(made, other), 'compiled');
});

for (const [name, node] of nodes())
  test(`${name} uses its own cache, and no other`, async () => {
    const made = await built();
    const isSame = name === `Node ${process.versions.node.split('.', 1)}`;
    if (!isSame) assert.is(await codeOf(made, node), 'compiled');
    const again = start(node, [bin('fwk'), 'build'], made.root);
    assert.is((await ended(again, 'fwk build')).status, 0);
    assert.is(await codeOf(made, node), 'kept');
  });

test('a build that cannot write the cache reports it and completes', async () => {
  const made = await built();
  made.remove(FILE);
  mkdirSync(made.path(FILE));
  const { stdout, stderr } = await build(made);
  assert.match(stdout, /^dist\/fwk\.manifest\.json$/m);
  assert.match(stderr, /^dist\/fwk\.code-cache could not be made, so production starts slower: .*\.\n$/);
  assert.is(await codeOf(made), 'compiled');
});

test('the build lists the cache and leaves no temporary file', async () => {
  const made = await built();
  assert.match((await build(made)).stdout, /^dist\/fwk\.code-cache$/m);
  assert.equal(readdirSync(made.path('.fwk')).sort(), ['built.json', 'types.d.ts']);
});

test.run();
