import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { BaseRoute, Project, Runtime } from '../../kernel/index.js';
import { type Failure, failure, problemsOf, type ShownProblem } from './failure.js';
import { maskedTarget } from './masking.js';
import { type RequestRecord, recordOf } from './record.js';
import { Recorder } from './recorder.js';

/** How many reloads and errors are kept. */
const MAX_RELOADS = 30;
const MAX_FAILURES = 50;

/** The version of the project that serves. */
export interface Version {
  readonly project: Project;
  readonly routes: readonly BaseRoute[];
}

/** What one save led to. */
export interface ReloadRecord extends Omit<ReloadMessage, 'error' | 'notes'> {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Why it is not served. */
  readonly problems: readonly ShownProblem[];
  /** What plugins have to tell of it: a guard that is lost. More may come. */
  readonly notes: string[];
}

/** What has changed for those who look: requests by id, or all else. */
export interface News {
  request(record: RequestRecord): void;
  state(): void;
}

/** All that is known of what `fwk dev` serves, from its start to its end. */
export class Inspector {
  readonly recorder = new Recorder((record) => {
    for (const one of this.#news) one.request(record);
  });
  readonly reloads: ReloadRecord[] = [];
  /** The newest first. */
  readonly failures: Failure[] = [];
  readonly sockets = new Map<object, OpenSocket>();
  /** Whether the project wants it: `disable: ['inspector']` says no. */
  isOn = true;
  readonly #news = new Set<News>();
  #version: Version | undefined;
  #versions = 0;
  #noting: Promise<unknown> = Promise.resolve();

  constructor(readonly runtime: Runtime) {
    const close = openChannels(this);
    runtime.onEnd(close);
  }

  /** The version that serves; undefined before the first. */
  get version(): Version | undefined {
    return this.#version;
  }

  /** How many versions have served. */
  get versions(): number {
    return this.#versions;
  }

  /** What keeps the newest version from being served; empty where nothing does. */
  get problems(): readonly ShownProblem[] {
    const [last] = this.reloads;
    return last?.isServed === false ? last.problems : [];
  }

  /** Have `news` called with what changes. Returns a function that ends it. */
  listen(news: News): () => void {
    this.#news.add(news);
    return () => void this.#news.delete(news);
  }

  /** A version serves from now on. */
  serve(version: Version): void {
    this.#version = version;
    this.#versions++;
    this.changed();
  }

  changed(): void {
    for (const one of this.#news) one.state();
  }

  /** Note an error, of the request `raw` if of any. */
  fail(thrown: unknown, where: string, raw?: IncomingMessage): void {
    const failed = failure(thrown, where, this.#version?.project);
    const record = raw && recordOf(raw);
    if (record) record.failure = failed;
    this.failures.unshift(failed);
    this.failures.splice(MAX_FAILURES);
    this.changed();
  }

  reloaded({ error, notes, ...rest }: ReloadMessage): void {
    const problems = rest.isServed ? [] : problemsOf(error, this.#version?.project);
    const record: ReloadRecord = { at: Date.now(), ...rest, problems, notes: [] };
    this.reloads.unshift(record);
    this.reloads.splice(MAX_RELOADS);
    this.changed();
    this.#noting = this.#note(record, notes);
  }

  /** Resolves when all that is to be told of the last save is known. */
  get noted(): Promise<unknown> {
    return this.#noting;
  }

  /** Never rejects: what a plugin fails with is told in the terminal. */
  async #note(record: ReloadRecord, notes: ReloadMessage['notes']): Promise<void> {
    // Others add theirs while the message is published.
    await Promise.resolve();
    const said = notes.map(async (note) => {
      record.notes.push(...(await note.catch(() => [])));
    });
    await Promise.all(said);
    if (record.notes.length > 0) this.changed();
  }
}

/** The messages of the channels that report errors. */
interface Failing {
  readonly error?: unknown;
  readonly raw?: IncomingMessage;
  readonly method?: string;
  readonly target?: string;
  readonly queue?: string;
  readonly cron?: string;
}

/** The message of `fwk.reload`. */
export interface ReloadMessage {
  readonly isServed: boolean;
  readonly files: readonly string[];
  readonly duration: number;
  readonly error: unknown;
  readonly routes: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
  };
  /** Notes of plugins on this reload, such as a guard that no longer covers a route. */
  readonly notes: readonly Promise<readonly string[]>[];
}

/** Receives what the process's diagnostics channels publish. */
interface Listener {
  readonly sockets: Map<object, OpenSocket>;
  reloaded(reload: ReloadMessage): void;
  /** `raw`: the request that failed, if it was one. Anything can be thrown, even `undefined`. */
  fail(thrown: unknown, where: string, raw?: IncomingMessage): void;
  changed(): void;
}

/** Subscribes `listener` to the diagnostics channels of reloads, errors and sockets. Returns a function that unsubscribes it. */
function openChannels(listener: Listener): () => void {
  const failed = (what: (message: Failing) => string) => (message: unknown) => {
    const given = message as Failing;
    listener.fail(given.error, what(given), given.raw);
  };
  const callFailed = failed(({ method, target }) => `MCP ${method ?? ''} ${target ?? ''}`);
  const handlers: Readonly<Record<string, (message: unknown) => void>> = {
    'fwk.reload': (message) => listener.reloaded(message as ReloadMessage),
    'fwk.request.error': failed(({ raw }) => `${raw?.method ?? ''} ${maskedTarget(raw?.url ?? '')}`),
    'fwk.socket.error': failed(({ raw }) => `WS ${maskedTarget(raw?.url ?? '')}`),
    // Of those that succeed, too.
    'fwk.mcp.end': (message) => {
      if ((message as Failing).error !== undefined) callFailed(message);
    },
    'fwk.job.error': failed(({ queue, cron }) => `job ${queue ?? cron ?? ''}`),
    'fwk.socket.open': (message) => {
      listener.sockets.set(message as object, message as OpenSocket);
      listener.changed();
    },
    'fwk.socket.close': (message) => {
      listener.sockets.delete(message as object);
      listener.changed();
    },
  };
  for (const [name, handler] of Object.entries(handlers)) subscribe(name, handler);
  return () => {
    for (const [name, handler] of Object.entries(handlers)) unsubscribe(name, handler);
  };
}

/** An open WebSocket: the message of the channel `fwk.socket.open`. */
export interface OpenSocket {
  readonly raw: IncomingMessage;
  readonly route: string;
  readonly received: number;
  readonly sent: number;
  /** Milliseconds. */
  readonly duration: number;
}
