import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { BaseRoute, Project, Runtime } from '../../kernel/index.js';
import { CookieJar } from '../http/internal.js';
import { type Failure, failure, problemsOf, type ShownProblem } from './failure.js';
import { maskTarget } from './masking.js';
import { type RequestRecord, recordOf } from './record.js';
import { Recorder } from './recorder.js';

/** Maximum number of recorded reloads and errors. */
const MAX_RELOADS = 30;
const MAX_FAILURES = 50;

export interface Version {
  readonly project: Project;
  readonly routes: readonly BaseRoute[];
}

export interface ReloadRecord extends Omit<ReloadMessage, 'error' | 'notes'> {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly problems: readonly ShownProblem[];
  /** Notes of plugins on the reload, for example that a guard no longer covers a route. More may be added. */
  readonly notes: string[];
}

export class Inspector {
  /** Changes of a request, and of everything else that the inspector page shows. */
  readonly news = new EventEmitter<{ request: [record: RequestRecord]; state: [] }>();
  readonly recorder = new Recorder((record) => void this.news.emit('request', record));
  readonly reloads: ReloadRecord[] = [];
  readonly failures: Failure[] = [];
  readonly sockets = new Map<object, OpenSocket>();
  /** Cookies that the app has set in requests sent by coding assistants. */
  readonly cookies = new CookieJar(Date.now);
  isOn = true;
  version: Version | undefined;
  versions = 0;
  /** Resolves when plugins have delivered their notes on the last save. */
  noted: Promise<unknown> = Promise.resolve();

  constructor(readonly runtime: Runtime) {
    runtime.onEnd(openChannels(this));
  }

  get problems(): readonly ShownProblem[] {
    const [last] = this.reloads;
    return last?.isServed === false ? last.problems : [];
  }

  serve(version: Version): void {
    this.version = version;
    this.versions++;
    this.changed();
  }

  changed(): void {
    this.news.emit('state');
  }

  fail(thrown: unknown, where: string, raw?: IncomingMessage): void {
    const failed = failure(thrown, where, this.version?.project);
    const record = raw && recordOf(raw);
    if (record) record.failure = failed;
    this.failures.unshift(failed);
    this.failures.splice(MAX_FAILURES);
    this.changed();
  }

  reloaded({ error, notes, ...rest }: ReloadMessage): void {
    const problems = rest.isServed ? [] : problemsOf(error, this.version?.project);
    const record: ReloadRecord = { at: Date.now(), ...rest, problems, notes: [] };
    this.reloads.unshift(record);
    this.reloads.splice(MAX_RELOADS);
    this.changed();
    this.noted = this.#note(record, notes);
  }

  /** Never rejects: failures of plugins are logged in the terminal. */
  async #note(record: ReloadRecord, notes: ReloadMessage['notes']): Promise<void> {
    // Other subscribers add their notes while the message is published.
    await Promise.resolve();
    const additions = notes.map(async (note) => {
      record.notes.push(...(await note.catch(() => [])));
    });
    await Promise.all(additions);
    if (record.notes.length > 0) this.changed();
  }
}

interface FailedMessage {
  readonly error?: unknown;
  readonly raw?: IncomingMessage;
  readonly method?: string;
  readonly target?: string;
  readonly queue?: string;
  readonly cron?: string;
}

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

/** Subscribes an inspector to the diagnostics channels of reloads, errors and sockets. Returns a function that unsubscribes it. */
function openChannels(inspector: Inspector): () => void {
  const failed = (what: (message: FailedMessage) => string) => (message: unknown) => {
    const given = message as FailedMessage;
    inspector.fail(given.error, what(given), given.raw);
  };
  const callFailed = failed(({ method, target }) => `MCP ${method ?? ''} ${target ?? ''}`);
  const handlers: Readonly<Record<string, (message: unknown) => void>> = {
    'fwk.reload': (message) => inspector.reloaded(message as ReloadMessage),
    'fwk.request.error': failed(({ raw }) => `${raw?.method ?? ''} ${maskTarget(raw?.url ?? '')}`),
    'fwk.socket.error': failed(({ raw }) => `WS ${maskTarget(raw?.url ?? '')}`),
    // Also published for successful calls.
    'fwk.mcp.end': (message) => {
      if ((message as FailedMessage).error !== undefined) callFailed(message);
    },
    'fwk.job.error': failed(({ queue, cron }) => `job ${queue ?? cron ?? ''}`),
    'fwk.socket.open': (message) => {
      inspector.sockets.set(message as object, message as OpenSocket);
      inspector.changed();
    },
    'fwk.socket.close': (message) => {
      inspector.sockets.delete(message as object);
      inspector.changed();
    },
  };
  for (const [name, handler] of Object.entries(handlers)) subscribe(name, handler);
  return () => {
    for (const [name, handler] of Object.entries(handlers)) unsubscribe(name, handler);
  };
}

export interface OpenSocket {
  readonly raw: IncomingMessage;
  readonly route: string;
  readonly received: number;
  readonly sent: number;
  /** In milliseconds. */
  readonly duration: number;
}
