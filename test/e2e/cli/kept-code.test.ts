import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { atExit } from '../../harness/cleanup.js';
import { ended, start } from '../../harness/fwk.js';
import { installed } from '../../harness/installed.js';
import { node } from '../../harness/nodes.js';
import { Output } from '../../harness/output.js';
import { project } from '../../harness/project.js';
import { tells } from '../../harness/source.js';

// Where Node has no compile cache, a command leaves what V8 compiled of the core to the commands to come.

const test = suite('kept code');

const KEPT = 'cli/fwk.code-cache';

/** Tells what becomes of the code that the core is compiled with. */
const SPY = `const vm = require('node:vm');
vm.Script = class extends vm.Script {
  constructor(text, options) {
    super(text, options);
    if (!/core-.*cjs$/.test(options.filename)) return;
    const what = options.cachedData === undefined ? 'compiled' : this.cachedDataRejected ? 'refused' : 'kept';
    process.on('exit', () => console.log('[' + what + ']'));
  }
};`;

/** A package of its own, of which nothing is kept yet. */
function packageCopy() {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'fwk-kept-')));
  atExit(() => rmSync(root, { recursive: true, force: true }));
  const original = realpathSync(path.join(installed(), 'node_modules/fwkit'));
  const at = (name: string) => path.join(root, name);
  for (const name of ['package.json', 'cli/fwk.js', 'dist/bundle'])
    cpSync(path.join(original, name), at(name), { recursive: true });
  const dependency = createRequire(path.join(original, 'package.json')).resolve('picomatch/package.json');
  symlinkSync(path.join(dependency, '../..'), at('node_modules'));
  writeFileSync(at('spy.cjs'), SPY);
  const made = project({ 'api/x.get.js': tells('get', 'x') });
  return {
    at,
    read: (): Buffer => readFileSync(at(KEPT)),
    /** Runs a command to its end, and resolves with what became of the code. */
    async codeOf(args: readonly string[] = ['types'], { major = 20, flags = '', env = [] }: Run = {}) {
      const settings = [`NODE_OPTIONS=--require ${at('spy.cjs')} ${flags}`, ...env];
      const all = [...settings, node(major), at('cli/fwk.js'), ...args];
      const child = start('/usr/bin/env', all, made.root);
      const output = new Output(child);
      const end = ended(child, args.join(' '), output);
      if (args[0] === 'dev') await output.waitFor(/http:/).then(() => child.kill('SIGTERM'));
      const { status, stdout, stderr } = await end;
      assert.equal([status, stderr], [0, '']);
      return /^\[(\w+)\]$/m.exec(stdout)?.[1];
    },
  };
}

interface Run {
  readonly major?: number;
  /** For Node. */
  readonly flags?: string;
  readonly env?: readonly string[];
}

test('what the first command compiles, the next one has', async () => {
  const { codeOf, read } = packageCopy();
  assert.is(await codeOf(), 'compiled');
  const kept = read();
  assert.is(await codeOf(['routes']), 'kept');
  assert.ok(read().equals(kept));
});

test('fwk dev, which goes on with other flags of V8, leaves code that all commands take', async () => {
  const { codeOf } = packageCopy();
  assert.is(await codeOf(['dev', '--port', '0']), 'compiled');
  assert.is(await codeOf(), 'kept');
  assert.is(await codeOf(['dev', '--port', '0']), 'kept');
});

test('code of a command with other flags of V8 is replaced', async () => {
  const { codeOf } = packageCopy();
  await codeOf(['types'], { flags: '--stack-trace-limit=50' });
  assert.is(await codeOf(), 'refused');
  assert.is(await codeOf(), 'kept');
});

test('code that is torn or of another Node is not taken, and is replaced', async () => {
  const { at, codeOf, read } = packageCopy();
  await codeOf();
  const whole = read();
  const torn = Buffer.from(whole).fill(0, 200_000, 204_096);
  const other = Buffer.from(whole.toString('latin1').replace(/ v20\.\d+/, ' v20.1'), 'latin1');
  for (const wrong of [torn, other, whole.subarray(0, 1_000), Buffer.alloc(0)]) {
    writeFileSync(at(KEPT), wrong);
    assert.is(await codeOf(), 'compiled');
    assert.is(await codeOf(), 'kept');
  }
});

test('a package that nothing can be written to does no harm', async () => {
  const { at, codeOf } = packageCopy();
  mkdirSync(at(KEPT));
  assert.is(await codeOf(), 'compiled');
  assert.is(await codeOf(), 'compiled');
});

test('nothing is kept of what runs no command, or where Node is told to keep nothing', async () => {
  const { codeOf } = packageCopy();
  await codeOf(['--version']);
  await codeOf(['types', '--help']);
  for (const major of [20, 22]) await codeOf(['types'], { major, env: ['NODE_DISABLE_COMPILE_CACHE=1'] });
  assert.is(await codeOf(), 'compiled');
});

test('a newer Node keeps it itself', async () => {
  const { codeOf, read } = packageCopy();
  await codeOf(['types'], { major: 22 });
  await codeOf(['types'], { major: 22 });
  assert.throws(read, /ENOENT/);
});

test.run();
