import { decodedMappings, originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import WebSocket from 'ws';
import { patience } from './patience.js';

/** A script as the engine tells of it. */
export interface Script {
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

export interface Paused {
  readonly reason: string;
  readonly data?: { readonly scriptId?: string };
  readonly callFrames: readonly Frame[];
}

// Longer than any step takes on a busy machine.

/** A client of the Chrome DevTools Protocol, which does what editors do. */
export class Debugger {
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

  /** The newest script whose URL ends so, once there is one after `count` older ones. */
  script(end: string, count = 0): Promise<Script> {
    const all = () => this.#scripts.filter(({ url }) => url.endsWith(end));
    return this.#until(end, () => (all().length > count ? all().at(-1) : undefined));
  }

  /** The URL of the script that is about to run. */
  urlOf({ data }: Paused): string | undefined {
    return this.#scripts.find(({ scriptId }) => scriptId === data?.scriptId)?.url;
  }

  /** How many scripts there were whose URL ends so. */
  count(end: string): number {
    return this.#scripts.filter(({ url }) => url.endsWith(end)).length;
  }

  /** The next pause that has not been taken yet. */
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
