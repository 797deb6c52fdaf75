import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, ended, fwk, launch, start } from '../../harness/fwk.js';
import { bin } from '../../harness/installed.js';
import { type Files, type Project, project } from '../../harness/project.js';
import { di, postRoute, route, service } from '../../harness/source.js';

const files: Files = {
  'services/books.ts': service(`(_ctx, { onDestroy }) => {
  onDestroy(async () => { await new Promise((done) => setTimeout(done, 50)); console.error('books are closed'); });
  return { count: async () => 3, isList: (value) => value instanceof Array && value.constructor === Array };
}`),
  'di/visit.ts': di('request', `() => ({ made: 'for the prompt' })`),
  'api/echo.post.ts': postRoute(
    '(req, _res, ctx) => { ctx.logger.info("asked"); return { got: req.body }; }',
  ),
  'api/hello.get.ts': route('get', `() => ({ hello: 'first' })`),
};

/** Runs `fwk repl` with a script at its stdin. */
async function piped(made: Pick<Project, 'root'>, code: string, ...args: string[]): Promise<Ended> {
  const child = start(bin('fwk'), ['repl', ...args], made.root, 'pipe');
  child.stdin?.end(code);
  return ended(child, 'fwk repl');
}

/** Runs a script in the process of this test. */
const evaluated = (made: Pick<Project, 'root'>, code: string): Promise<Ended> =>
  fwk(made, 'repl', '--eval', code);

const test = suite('fwk repl');
const made = project(files);

test('a script has ctx, and its value is printed', async () => {
  const { status, stdout, stderr } = await piped(made, 'await ctx.books.count()\n');
  assert.equal([status, stdout], [0, '3\n']);
  assert.is(stderr, 'books are closed\n');
});

test('the last of several statements is printed, also across lines', async () => {
  const code = `const count = await ctx.books
  .count();
const { made } = ctx.visit;
console.log('printed');
\`\${made}: \${count}\``;
  const { status, stdout } = await piped(made, code);
  assert.equal([status, stdout], [0, 'printed\nfor the prompt: 3\n']);
});

test('a script gets the same values as modules', async () => {
  assert.is((await evaluated(made, 'ctx.books.isList([1, new Date()])')).stdout, 'true\n');
});

test('request calls a route without a port, and the log goes to stderr', async () => {
  const code = `const answer = await request('/api/echo', { body: { a: [1] } }); answer.status + ' ' + (await answer.text())`;
  const { stdout, stderr } = await evaluated(made, code);
  assert.is(stdout, '200 {"got":{"a":[1]}}\n');
  assert.match(stderr, 'asked');
  const get = `(await request('/api/hello', { headers: { accept: '*/*' } })).status`;
  assert.is((await evaluated(made, get)).stdout, '200\n');
});

test('an error is printed, services are closed, and the exit code is 1', async () => {
  for (const [code, sentence] of [
    [`throw new Error('on purpose')`, 'Error: on purpose'],
    [`await Promise.reject(new TypeError('later'))`, 'TypeError: later'],
    [`ctx.nothing.count()`, 'TypeError: '],
    [`const = 1`, 'SyntaxError: '],
    [`await ctx.books.count(`, 'SyntaxError: '],
    [`throw 'a text'`, 'a text'],
  ] as const) {
    const { status, stdout, stderr } = await evaluated(made, code);
    assert.equal([status, stdout], [1, ''], code);
    assert.match(stderr, sentence);
    assert.match(stderr, 'books are closed');
  }
});

test('--eval runs code without stdin', async () => {
  assert.equal(await fwk(made, 'repl', '--eval', '(await ctx.books.count()) + 1'), {
    status: 0,
    stdout: '4\n',
    stderr: 'books are closed\n',
  });
});

test('reports a project that does not boot as other commands do', async () => {
  const broken = project({ 'api/a.get.ts': 'export default 1;\n' });
  const { status, stdout, stderr } = await evaluated(broken, '1');
  assert.equal([status, stdout], [1, '']);
  assert.match(stderr, /^1 problem in /);
});

/** A prompt on a terminal. */
function terminal(root: string) {
  const { child, output, end } = launch('script', ['-qec', `${bin('fwk')} repl`, '/dev/null'], root, 'pipe');
  const type = (text: string) => void child.stdin?.write(text);
  return { child, output, end, type };
}

test('a terminal has a prompt, await, a reload after a save, and ends on Ctrl-D', async () => {
  const own = project(files);
  const { child, output, end, type } = terminal(own.root);
  try {
    await output.waitFor(/ctx has books, visit, logger\.[\s\S]*fwk> /);
    type('await ctx.books.count()\r');
    await output.waitFor(/\n3\r?\n/);
    type('.routes\r');
    await output.waitFor(/POST .*\/api\/echo/);
    type(`await (await request('/api/hello')).json()\r`);
    await output.waitFor(/hello: 'first'/);
    own.write('api/hello.get.ts', route('get', `() => ({ hello: 'second' })`));
    await output.waitFor(/reloaded src\/api\/hello\.get\.ts/);
    type(`await (await request('/api/hello')).json()\r`);
    await output.waitFor(/hello: 'second'/);
    own.write('services/books.ts', service('() => ({ count: async () => 77 })'));
    await output.waitFor(/reloaded src\/services\/books\.ts/);
    await output.waitFor(/books are closed/);
    type('await ctx.books.count()\r');
    await output.waitFor(/\n77\r?\n/);
    type('\x04');
    assert.is((await end).status, 0);
    assert.match(own.read('.fwk/repl-history'), 'await ctx.books.count()');
  } finally {
    child.kill('SIGKILL');
  }
});

test('an unwritable history does not prevent the prompt', async () => {
  const own = project({ ...files, '.fwk': 'a file' });
  const { child, output, end, type } = terminal(own.root);
  try {
    await output.waitFor(/FWK606 \.fwk\/repl-history: cannot be written: .*What is typed is not kept/);
    type('await ctx.books.count()\r');
    await output.waitFor(/\n3\r?\n/);
    type('.exit\r');
    assert.is((await end).status, 0);
  } finally {
    child.kill('SIGKILL');
  }
});

test('.exit ends the process after services are closed', async () => {
  const { child, output, end, type } = terminal(made.root);
  try {
    await output.waitFor(/fwk> /);
    type('ctx.visit\r');
    await output.waitFor(/for the prompt/);
    type('.exit\r');
    const { status } = await end;
    assert.is(status, 0);
    assert.match(output.all, 'books are closed');
  } finally {
    child.kill('SIGKILL');
  }
});

test.run();
