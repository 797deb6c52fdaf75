import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { decodedMappings, originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import WebSocket from 'ws';
import { launch } from '../../harness/fwk.js';
import { installed } from '../../harness/installed.js';
import { nodes } from '../../harness/nodes.js';
import { patience } from '../../harness/patience.js';
import { type Files, project } from '../../harness/project.js';

/** A script as the debugger reports it. */
interface Script {
  readonly scriptId: string;
  readonly url: string;
  readonly sourceMapURL: string;
}

interface Frame {
  readonly callFrameId: string;
  readonly location: {
    readonly scriptId: string;
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface Paused {
  readonly reason: string;
  readonly data?: { readonly scriptId?: string };
  readonly callFrames: readonly Frame[];
}

/** A client of the Chrome DevTools Protocol that behaves like an editor. */
class Debugger {
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, (answer: Message) => void>();
  readonly #events: { method: string; params: unknown }[] = [];
  readonly #watchers = new Set<() => void>();
  readonly #scripts: Script[] = [];
  #id = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => this.#receive(JSON.parse(String(data))));
  }

  static async attach(url: string): Promise<Debugger> {
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const attached = new Debugger(socket);
    await attached.send('Runtime.enable');
    await attached.send('Debugger.enable');
    return attached;
  }

  send(method: string, params: object = {}): Promise<Record<string, unknown>> {
    this.#id += 1;
    const id = this.#id;
    return new Promise((resolve, reject) => {
      this.#answers.set(id, ({ result, error }) =>
        error ? reject(new Error(`${method}: ${error.message}`)) : resolve(Object(result)),
      );
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  /** The newest script whose URL ends with this, as soon as there are more than `count`. */
  script(end: string, count = 0): Promise<Script> {
    const all = () => this.#scripts.filter(({ url }) => url.endsWith(end));
    return this.#until(end, () => (all().length > count ? all().at(-1) : undefined));
  }

  /** The URL of the script that is about to run. */
  urlOf({ data }: Paused): string | undefined {
    return this.#scripts.find(({ scriptId }) => scriptId === data?.scriptId)?.url;
  }

  /** The number of scripts whose URL ends with this. */
  count(end: string): number {
    return this.#scripts.filter(({ url }) => url.endsWith(end)).length;
  }

  /** The next unhandled pause. */
  paused(): Promise<Paused> {
    return this.#until('a pause', () => {
      const index = this.#events.findIndex(({ method }) => method === 'Debugger.paused');
      return index < 0 ? undefined : (this.#events.splice(index, 1)[0]?.params as Paused);
    });
  }

  /** Sets a breakpoint at a line of the source, through the script's own map, as editors do for each script they see. */
  async breakAt(script: Script, line: number): Promise<void> {
    const { scriptId } = script;
    await this.send('Debugger.setBreakpoint', { location: { scriptId, ...generatedLine(script, line) } });
  }

  /** Where the innermost frame is, in the source: `file:///…:line`. */
  place({ callFrames: [top] }: Paused): string {
    const script = this.#scripts.find(({ scriptId }) => scriptId === top?.location.scriptId);
    if (!script || !top) throw new Error('no script is known where it paused');
    const { lineNumber, columnNumber } = top.location;
    const at = originalPositionFor(mapOf(script), { line: lineNumber + 1, column: columnNumber });
    return `${new URL(at.source ?? '', script.url).href}:${at.line}`;
  }

  /** The value of an expression in the innermost frame. */
  async value({ callFrames: [top] }: Paused, expression: string): Promise<unknown> {
    const params = { callFrameId: top?.callFrameId, expression, returnByValue: true };
    const { result } = await this.send('Debugger.evaluateOnCallFrame', params);
    return Object(result).value;
  }

  close(): void {
    this.#socket.close();
  }

  #receive(message: Message): void {
    if (message.id !== undefined) this.#answers.get(message.id)?.(message);
    if (message.method === 'Debugger.scriptParsed') this.#scripts.push(message.params as Script);
    if (message.method) this.#events.push({ method: message.method, params: message.params });
    for (const look of this.#watchers) look();
  }

  #until<T>(what: string, find: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = find();
        if (found === undefined) return;
        clearTimeout(timer);
        this.#watchers.delete(look);
        resolve(found);
      };
      const timer = setTimeout(() => reject(new Error(`waited in vain for ${what}`)), patience());
      this.#watchers.add(look);
      look();
    });
  }
}

function mapOf({ sourceMapURL }: Script): TraceMap {
  const [, encoded = ''] = /^data:application\/json;base64,(.+)$/.exec(sourceMapURL) ?? [];
  return new TraceMap(Buffer.from(encoded, 'base64').toString());
}

/** The first place in the script that comes from a line of the source, counted from 0. */
function generatedLine(script: Script, line: number) {
  const map = mapOf(script);
  for (const [lineNumber, segments] of decodedMappings(map).entries())
    for (const [columnNumber, , originalLine] of segments)
      if (originalLine === line - 1) return { lineNumber, columnNumber };
  throw new Error(`${script.url} has no code of line ${line}`);
}

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

/** `fwk dev` of a project, started with flags for Node. */
function begin(node: string, ...flags: string[]) {
  const made = project(files);
  const bin = path.join(installed(), 'node_modules/fwkit/cli/fwk.js');
  const { child, output, stop } = launch(node, [...flags, bin, 'dev', '--port', '0'], made.root);
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
      await stop();
    },
  };
}

const test = suite('debugging');

for (const [name, node] of nodes())
  test(`${name}: a breakpoint stops at a source line, and again after an edit`, async () => {
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

test('a breakpoint stops at the first line of a module if the debugger waits for scripts', async () => {
  const dev = begin(process.execPath, '--inspect-brk=0');
  const attached = await dev.attach();
  await attached.send('Debugger.setInstrumentationBreakpoint', {
    instrumentation: 'beforeScriptWithSourceMapExecution',
  });
  await attached.send('Runtime.runIfWaitingForDebugger');
  // Editors bind breakpoints between parsing and running a script.
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

test('does not show text that existed only while files were being saved', async () => {
  const dev = begin(process.execPath, '--inspect=0');
  await dev.url();
  const attached = await dev.attach();
  const { 'price.ts': price = '' } = files;
  const count = attached.count('/price.ts');
  dev.project.write('price.ts', `${price}export const other = 1;\n`);
  // For an empty file the watcher waits.
  dev.project.write('api/pay.get.ts', '');
  await pause(20);
  dev.project.write('price.ts', price);
  dev.project.write('api/pay.get.ts', pay('2'));
  await dev.output.waitFor(/reloaded/);
  assert.is(attached.count('/price.ts'), count);
  await dev.stop(attached);
});

test('stack traces keep their positions while a debugger is attached', async () => {
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
