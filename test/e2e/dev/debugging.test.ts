import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Debugger } from '../../harness/debugger.js';
import { ended, start } from '../../harness/fwk.js';
import { installed } from '../../harness/installed.js';
import { nodes } from '../../harness/nodes.js';
import { Output } from '../../harness/output.js';
import { type Files, project } from '../../harness/project.js';

// A debugger that is attached to `fwk dev` sees the sources: breakpoints, places and variables.

const pay = (rate: string) => `import { get } from 'fwkit';
import { round } from '../price.js';

interface Price {
  readonly net: number;
}
const rate: number = ${rate};

export default get(async (req) => {
  const price: Price = { net: Number(req.query.net) };
  const total = round(price.net * rate);
  return { total };
});
`;
const files: Files = {
  'api/pay.get.ts': pay('1.2'),
  'price.ts': 'export type Cents = number;\n\nexport const round = (n: number): Cents => Math.round(n);\n',
};
const TOP = 7;
const LINE = 12;

/** `fwk dev` of a project, started with flags of Node's. */
function begin(node: string, ...flags: string[]) {
  const made = project(files);
  const bin = path.join(installed(), 'node_modules/fwkit/cli/fwk.js');
  const child = start(node, [...flags, bin, 'dev', '--port', '0'], made.root);
  const output = new Output(child);
  const end = ended(child, 'fwk dev', output);
  return {
    child,
    project: made,
    output,
    url: async () => (await output.waitFor(/(http:\/\/\S+:\d+)\/$/m))[1],
    async attach() {
      const [, url = ''] = await output.waitFor(/Debugger listening on (ws:\S+)/);
      return Debugger.attach(url);
    },
    at: (line: number) => `${pathToFileURL(made.path('api/pay.get.ts')).href}:${line}`,
    async stop(attached: Debugger) {
      attached.close();
      child.kill('SIGTERM');
      assert.is((await end).status, 0, output.all);
    },
  };
}

const test = suite('debugging');

for (const [name, node] of nodes())
  test(`${name}: stops at a line of the source, and again after it has changed`, async () => {
    const dev = begin(node, '--inspect=0');
    const url = await dev.url();
    const attached = await dev.attach();
    const first = await attached.script('/api/pay.get.ts');
    await attached.breakAt(first, LINE);
    const answer = fetch(`${url}/api/pay?net=100`);
    const paused = await attached.paused();
    assert.is(attached.place(paused), dev.at(LINE));
    assert.equal(await attached.value(paused, '[price, total]'), [{ net: 100 }, 120]);
    await attached.send('Debugger.resume');
    assert.equal(await (await answer).json(), { total: 120 });

    const count = attached.count('/api/pay.get.ts');
    dev.project.write('api/pay.get.ts', `// moved\n\n${pay('1.5')}`);
    await dev.output.waitFor(/reloaded/);
    const second = await attached.script('/api/pay.get.ts', count);
    assert.is(second.url, first.url);
    await attached.breakAt(second, LINE + 2);
    const later = fetch(`${url}/api/pay?net=100`);
    const again = await attached.paused();
    assert.is(attached.place(again), dev.at(LINE + 2));
    assert.is(await attached.value(again, 'total'), 150);
    await attached.send('Debugger.resume');
    assert.equal(await (await later).json(), { total: 150 });
    await dev.stop(attached);
  });

test('stops where a module begins, when the debugger waits for scripts', async () => {
  const dev = begin(process.execPath, '--inspect-brk=0');
  const attached = await dev.attach();
  await attached.send('Debugger.setInstrumentationBreakpoint', {
    instrumentation: 'beforeScriptWithSourceMapExecution',
  });
  await attached.send('Runtime.runIfWaitingForDebugger');
  // Editors bind breakpoints when a script is there and has not begun.
  let paused = await attached.paused();
  for (; paused.reason !== 'other'; paused = await attached.paused()) {
    if (attached.urlOf(paused)?.endsWith('/api/pay.get.ts'))
      await attached.breakAt(await attached.script('/api/pay.get.ts'), TOP);
    await attached.send('Debugger.resume');
  }
  assert.is(attached.place(paused), dev.at(TOP));
  await attached.send('Debugger.resume');
  await dev.url();
  await dev.stop(attached);
});

test('shows the sources that are loaded after the inspector was opened', async () => {
  const dev = begin(process.execPath);
  await dev.url();
  dev.child.kill('SIGUSR1');
  const attached = await dev.attach();
  const before = await attached.script('/api/pay.get.ts');
  assert.is(before.sourceMapURL, '');
  dev.project.write('api/pay.get.ts', pay('2'));
  const after = await attached.script('/api/pay.get.ts', attached.count('/api/pay.get.ts'));
  assert.match(after.sourceMapURL, 'data:application/json;base64,');
  await dev.stop(attached);
});

test('shows no text that was there only while files were being saved', async () => {
  const dev = begin(process.execPath, '--inspect=0');
  await dev.url();
  const attached = await dev.attach();
  const { 'price.ts': price = '' } = files;
  const count = attached.count('/price.ts');
  dev.project.write('price.ts', `${price}export const other = 1;\n`);
  // For an empty file the watcher waits.
  dev.project.write('api/pay.get.ts', '');
  await setTimeout(20);
  dev.project.write('price.ts', price);
  dev.project.write('api/pay.get.ts', pay('2'));
  await dev.output.waitFor(/reloaded/);
  assert.is(attached.count('/price.ts'), count);
  await dev.stop(attached);
});

test('stacks keep their places while a debugger is there', async () => {
  const dev = begin(process.execPath, '--inspect=0');
  const url = await dev.url();
  const attached = await dev.attach();
  dev.project.write('api/pay.get.ts', pay('1').replace('return { total }', `throw new Error('on purpose')`));
  await dev.output.waitFor(/reloaded/);
  await fetch(`${url}/api/pay`);
  await dev.output.waitFor(new RegExp(`pay\\.get\\.ts:${LINE}:9`));
  await dev.stop(attached);
});

test.run();
