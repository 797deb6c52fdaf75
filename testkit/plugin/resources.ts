import { AsyncLocalStorage, createHook } from 'node:async_hooks';
// Imported, because a test may have replaced the global.
import { setTimeout } from 'node:timers';
import { fileURLToPath } from 'node:url';
import { Health, healthOf } from '../../contributions/index.js';
import { Runtime } from '../../kernel/index.js';
import { OneProcess, setMachinePeers } from '../../peers/index.js';

/** Resources that stay open until they are closed, by Node's names for them. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['Timeout', 'a timer'],
  ['TCPSERVERWRAP', 'a listening server'],
  ['TCPWRAP', 'a socket'],
  ['PIPESERVERWRAP', 'a listening server'],
  ['PIPEWRAP', 'a socket'],
  ['UDPWRAP', 'a UDP socket'],
  ['FSEVENTWRAP', 'a file watcher'],
  ['STATWATCHER', 'a file watcher'],
  ['WORKER', 'a worker thread'],
  ['PROCESSWRAP', 'a child process'],
]);

/** Resources that last as long as an app runs, not only for a request. */
const LASTING = ['a repeating timer', 'a listening server', 'a file watcher', 'a worker thread'];

/** Milliseconds to wait for closed resources, such as sockets, to disappear. */
const SETTLE_LIMIT_MS = 1_000;
const POLL_MS = 5;
/** A busy machine may leave a process few polls within the time limit. */
const MIN_POLLS = 100;
const FRAMES = 40;

/** Descriptions of resources, by kind and the file that made them. */
export type Inventory = ReadonlyMap<string, readonly string[]>;

export interface OpenResource {
  readonly what: string;
  readonly file: string;
  readonly line: number;
  readonly stack: string;
}

interface Resource {
  readonly what: string;
  readonly trace: Error;
  readonly resource: object;
}

/** Timers, sockets, servers and the like that were created in `run` and are still open. */
export class Resources {
  readonly #live = new Map<number, Resource>();
  readonly #isOwnCode = new AsyncLocalStorage<boolean>();
  readonly #hook = createHook({
    init: (id, type, _trigger, resource) => {
      const what = KINDS.get(type);
      if (what === undefined || this.#isOwnCode.getStore() !== true) return;
      const trace = traced();
      if (type === 'Timeout' && isOfNode(trace)) return;
      const repeats = type === 'Timeout' && '_repeat' in resource && resource._repeat !== null;
      this.#live.set(id, { what: repeats ? 'a repeating timer' : what, trace, resource });
    },
    destroy: (id) => void this.#live.delete(id),
  }).enable();

  run<T>(work: () => T): T {
    return this.#isOwnCode.run(true, work);
  }

  /** Ignore the resources that `work` creates. */
  withoutTracking<T>(work: () => Promise<T>): Promise<T> {
    return this.#isOwnCode.run(false, work);
  }

  list(): Inventory {
    const list = new Map<string, string[]>();
    for (const { what, trace, resource } of this.#live.values()) {
      // Hooks are notified of cleared timers only in a later turn of the event loop.
      if ('_destroyed' in resource && resource._destroyed === true) continue;
      const { file, line } = placeOf(trace) ?? { file: '', line: 0 };
      const key = `${what} ${file}`;
      const described = file === '' ? what : `${what} from ${file}:${line}`;
      list.set(key, [...(list.get(key) ?? []), described]);
    }
    return list;
  }

  /** Resources that keep the process alive and were not created by Node or fwkit. */
  foreign(): readonly OpenResource[] {
    const found: OpenResource[] = [];
    for (const { what, trace, resource } of this.#live.values()) {
      if ('_destroyed' in resource && resource._destroyed === true) continue;
      if ('hasRef' in resource && typeof resource.hasRef === 'function' && resource.hasRef() === false)
        continue;
      const frames = callers(trace).filter((frame) => !frame.includes('node:'));
      const place = placeIn(frames[0] ?? '');
      if (place) found.push({ what, ...place, stack: frames.join('\n') });
    }
    return found;
  }

  /** The resources that are left once no kind has more than in `expected`, or time is up. */
  settled(expected: Inventory): Promise<Inventory> {
    return this.#settle(
      () => this.list(),
      (list) => surplus(list, expected).length === 0,
    );
  }

  /** Waits until no foreign resources are left, or until the time limit. Returns the remaining resources. */
  leaked(): Promise<readonly OpenResource[]> {
    return this.#settle(
      () => this.foreign(),
      (found) => found.length === 0,
    );
  }

  #settle<T>(look: () => T, isSettled: (found: T) => boolean): Promise<T> {
    return this.withoutTracking(async () => {
      const begin = performance.now();
      for (let polls = 0; ; polls++) {
        const found = look();
        const isOver = polls >= MIN_POLLS && performance.now() - begin > SETTLE_LIMIT_MS;
        if (isOver || isSettled(found)) return found;
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    });
  }

  stop(): void {
    this.#hook.disable();
  }
}

/** The resources of `list` that `expected` does not account for. */
export const surplus = (list: Inventory, expected: Inventory): readonly string[] =>
  [...list].flatMap(([key, all]) => all.slice(expected.get(key)?.length ?? 0));

/** The same, for resources that last as long as an app runs. */
export const lastingSurplus = (list: Inventory, expected: Inventory): readonly string[] =>
  surplus(list, expected).filter((what) => LASTING.some((lasting) => what.startsWith(lasting)));

function traced(): Error {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES;
  const trace = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  return trace;
}

/** The callers that created it, without Node's frames for hooks and timers. */
function callers(trace: Error): readonly string[] {
  const lines = String(trace.stack).split('\n');
  const hooked = lines.findIndex((line) => line.includes('emitInit'));
  return lines
    .slice(hooked + 1)
    .filter((line) => !/node:(internal\/)?(timers|async_hooks)|at new Promise/.test(line));
}

/** Whether it is a timer that Node created for itself, for a response for example. Node ends it, too. */
const isOfNode = (trace: Error): boolean => callers(trace)[0]?.includes('node:') === true;

function placeOf(trace: Error): { readonly file: string; readonly line: number } | undefined {
  for (const frame of callers(trace)) {
    const place = placeIn(frame);
    if (place) return place;
  }
  return undefined;
}

/** The location in a frame; undefined for code of fwkit or Node. */
function placeIn(frame: string): { readonly file: string; readonly line: number } | undefined {
  const [, path, line] = /(?:file:\/\/|\(|at )(\/.*|[A-Za-z]:.*):(\d+):\d+\)?$/.exec(frame) ?? [];
  return path === undefined || path.startsWith(OWN)
    ? undefined
    : { file: shortened(path), line: Number(line) };
}

/** The location of this code and everything that it is bundled with. */
const OWN = fileURLToPath(new URL('.', import.meta.url));

/** A short path: below the current directory, or below the directory of the fixtures. */
const shortened = (path: string): string =>
  path.replace(/^.*\/fwk-plugin-\w+\/(inner\/)*/, '').replace(`${process.cwd()}/`, '');

/** The functions that were registered with a runtime and not removed, by where they are registered. */
class Registrations {
  readonly #registered = new Map<string, readonly string[]>();

  /** Record a function. Returns a function that removes it again, once. */
  add(what: string): () => void {
    const all = () => this.#registered.get(what) ?? [];
    this.#registered.set(what, [...all(), what]);
    let isLeft = true;
    return () => {
      if (isLeft) this.#registered.set(what, all().slice(1));
      isLeft = false;
    };
  }

  list(): Inventory {
    return new Map(this.#registered);
  }
}

class WatchedPeers extends OneProcess {
  readonly registrations = new Registrations();

  override on(topic = ''): () => void {
    return this.registrations.add(`a subscription of peers.on('${topic}')`);
  }
}

class WatchedHealth extends Health {
  constructor(private readonly registrations: Registrations) {
    super();
  }

  override add(...[name, check]: Parameters<Health['add']>): () => void {
    const remove = super.add(name, check);
    const forget = this.registrations.add(`the health check "${name}"`);
    return () => {
      remove();
      forget();
    };
  }
}

/** A runtime that counts registrations: those that versions add and never remove pile up. */
export class WatchedRuntime extends Runtime {
  readonly #registrations: Registrations;

  constructor(transport: Runtime['transport']) {
    const peers = new WatchedPeers();
    super({ transport, reloads: true });
    this.#registrations = peers.registrations;
    setMachinePeers(this, peers);
    healthOf(this, () => new WatchedHealth(this.#registrations));
  }

  override onClose(close: () => unknown): void {
    this.#registrations.add('a function of runtime.onClose');
    super.onClose(close);
  }

  override onEnd(end: () => unknown): void {
    this.#registrations.add('a function of runtime.onEnd');
    super.onEnd(end);
  }

  registered(): Inventory {
    return this.#registrations.list();
  }
}
