import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { atExit } from '../../harness/cleanup.js';
import { launch } from '../../harness/fwk.js';
import { installed } from '../../harness/installed.js';
import { node } from '../../harness/nodes.js';
import { type Files, project } from '../../harness/project.js';
import { tells } from '../../harness/source.js';

// Without Node's compile cache, a command keeps V8's compiled code of the core for later commands.

const test = suite('compiled code cache');

/** Compiled from source and written to the cache. */
const COMPILED = 'made,compiled';
const KEPT = 'cli/fwk.code-cache';

/** Has root's commands respect file permissions. */
const LIKE_USERS = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override'] : [];

/** Reports whether the core was compiled from a code cache. */
const SPY = `const vm = require('node:vm');
vm.Script = class extends vm.Script {
  constructor(text, options) {
    super(text, options);
    if (!/core-.*cjs$/.test(options?.filename)) return;
    const what = options.cachedData === undefined ? 'compiled' : this.cachedDataRejected ? 'refused' : 'kept';
    process.on('exit', () => console.log('[' + what + ']'));
    this.createCachedData = () => {
      console.log('[made]');
      return super.createCachedData();
    };
  }
};`;

/** A copy of the package without a cache, and a project. */
function packageCopy(files: Files = {}) {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'fwk-kept-')));
  atExit(() => rmSync(root, { recursive: true, force: true }));
  const original = realpathSync(path.join(installed(), 'node_modules/fwkit'));
  const at = (name: string) => path.join(root, name);
  for (const name of ['package.json', 'cli/fwk.js', 'dist/bundle'])
    cpSync(path.join(original, name), at(name), { recursive: true });
  const dependency = createRequire(path.join(original, 'package.json')).resolve('picomatch/package.json');
  symlinkSync(path.join(dependency, '../..'), at('node_modules'));
  writeFileSync(at('spy.cjs'), SPY);
  const made = project({ 'api/x.get.js': tells('get', 'x'), ...files });
  return {
    at,
    read: (): Buffer => readFileSync(at(KEPT)),
    /** Makes the cache two hours old. */
    age: () => utimesSync(at(KEPT), new Date(), new Date(Date.now() - 7_200_000)),
    /** Runs a command to its end and resolves with how the core was compiled. */
    async codeOf(
      args: readonly string[] = ['types'],
      { major = 20, flags = '', env = [], entry = 'cli/fwk.js' }: Run = {},
    ) {
      const settings = [`NODE_OPTIONS=--require ${at('spy.cjs')} ${flags}`, ...env];
      const all = [...settings, node(major), at(entry), ...args];
      const { child, output, end } = launch('/usr/bin/env', all, made.root);
      if (args[0] === 'dev') await output.waitFor(/http:/).then(() => child.kill('SIGTERM'));
      const { status, stdout, stderr } = await end;
      assert.equal([status, stderr], [0, '']);
      return [...new Set(Array.from(stdout.matchAll(/^\[(\w+)\]$/gm), ([, what]) => what))].join();
    },
  };
}

interface Run {
  readonly major?: number;
  /** For Node. */
  readonly flags?: string;
  readonly env?: readonly string[];
  readonly entry?: string;
}

test('the next command uses the code that the first one compiled', async () => {
  const { codeOf, read } = packageCopy();
  assert.is(await codeOf(), COMPILED);
  const kept = read();
  assert.is(await codeOf(['routes']), 'kept');
  assert.ok(read().equals(kept));
});

test('fwk dev, which changes V8 flags later, writes a cache that all commands accept', async () => {
  const { codeOf } = packageCopy();
  assert.is(await codeOf(['dev', '--port', '0']), COMPILED);
  assert.is(await codeOf(), 'kept');
  assert.is(await codeOf(['dev', '--port', '0']), 'kept');
});

test('a cache with other V8 flags is replaced, but two commands do not replace it in turns', async () => {
  const { age, codeOf, read } = packageCopy();
  await codeOf(['types'], { flags: '--stack-trace-limit=50' });
  const kept = read();
  assert.is(await codeOf(), 'refused');
  assert.ok(read().equals(kept));
  age();
  assert.is(await codeOf(), 'made,refused');
  assert.is(await codeOf(), 'kept');
});

test('writes no cache that every command would reject because the project sets V8 flags', async () => {
  const { at, codeOf } = packageCopy({
    'fwk.config.js': "import v8 from 'node:v8';\nv8.setFlagsFromString('--expose-gc');\nexport default {};",
  });
  for (const _ of [1, 2]) assert.is(await codeOf(), 'compiled');
  assert.not.ok(existsSync(at(KEPT)));
});

test('a damaged cache, or one of another Node, is ignored and replaced', async () => {
  const { age, at, codeOf, read } = packageCopy();
  await codeOf();
  const whole = read();
  const torn = Buffer.from(whole).fill(0, 200_000, 204_096);
  const other = Buffer.from(whole.toString('latin1').replace(/ v20\.\d+/, ' v20.1'), 'latin1');
  for (const wrong of [torn, other, whole.subarray(0, 1_000), Buffer.alloc(0)]) {
    writeFileSync(at(KEPT), wrong);
    assert.is(await codeOf(), 'compiled');
    age();
    assert.is(await codeOf(), COMPILED);
    assert.is(await codeOf(), 'kept');
  }
});

test('a read-only package works without a cache', async () => {
  const { age, at, codeOf } = packageCopy();
  chmodSync(at('cli'), 0o555);
  for (const _ of [1, 2]) assert.is(await codeOf(['types'], { env: LIKE_USERS }), 'compiled');
  assert.not.ok(existsSync(at(KEPT)));
  chmodSync(at('cli'), 0o755);
  mkdirSync(at(KEPT));
  age();
  for (const _ of [1, 2]) assert.is(await codeOf(), COMPILED);
});

test('a command works under another name of its file', async () => {
  const { at, codeOf } = packageCopy();
  assert.is(await codeOf(['types'], { entry: 'cli/fwk' }), 'compiled');
  symlinkSync(at('cli'), at('linked'));
  assert.is(await codeOf(['types'], { entry: 'linked/fwk.js' }), COMPILED);
  assert.is(await codeOf(), 'kept');
});

test('writes no cache for --version and --help, or if NODE_DISABLE_COMPILE_CACHE is set', async () => {
  const { codeOf } = packageCopy();
  await codeOf(['--version']);
  await codeOf(['types', '--help']);
  for (const major of [20, 22]) await codeOf(['types'], { major, env: ['NODE_DISABLE_COMPILE_CACHE=1'] });
  assert.is(await codeOf(), COMPILED);
});

test('leaves caching to newer versions of Node', async () => {
  const { codeOf, read } = packageCopy();
  await codeOf(['types'], { major: 22 });
  await codeOf(['types'], { major: 22 });
  assert.throws(read, /ENOENT/);
});

test.run();
