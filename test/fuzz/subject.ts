import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { atExit } from '../harness/cleanup.js';
import type { Project } from '../harness/project.js';
import { Diary } from './diary.js';

/** The server's state after garbage collection. */
export interface State {
  readonly heapUsed: number;
  readonly external: number;
  readonly arrayBuffers: number;
  readonly rss: number;
  /** How many there are of each kind: sockets, timers … */
  readonly handles: Readonly<Record<string, number>>;
  /** The ports of the clients of sockets that are open. */
  readonly sockets: readonly number[];
  readonly smuggled: readonly string[];
  /** Pending operations of handlers, with the token of the request. */
  readonly open: readonly { readonly kind: string; readonly token: string }[];
}

const PATIENCE = 20_000;

/** The server under test, in its own process. */
export class Subject {
  /** Set when it has ended. */
  ended: string | undefined;
  /** Called when it ends. */
  onEnd: (how: string) => void = () => {};
  readonly port: number;
  readonly diary: Diary;
  readonly #child: ChildProcess;
  readonly #gone = new AbortController();

  private constructor(child: ChildProcess, diary: Diary, port: number) {
    this.#child = child;
    this.diary = diary;
    this.port = port;
    child.once('exit', (code, signal) => {
      this.ended = String(signal ?? code);
      this.#gone.abort();
    });
    // Its last words have been read by then.
    child.once('close', () => this.onEnd(String(this.ended)));
  }

  /** Starts the built project; resolves when it listens. */
  static async start({ root, path }: Project, node: string): Promise<Subject> {
    const child = fork(path('dist/main.js'), [], {
      cwd: root,
      execPath: node,
      execArgv: ['--max-old-space-size=256', '--expose-gc'],
      env: { PATH: process.env.PATH, NO_COLOR: '1' },
      silent: true,
    });
    atExit(() => child.kill('SIGKILL'));
    const diary = new Diary(child.stderr);
    const [first] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as unknown[];
    const url = Array.isArray(first) ? String(first[0]) : undefined;
    if (url === undefined) throw new Error(`The project did not start (${String(first)}):\n${diary.text}`);
    return new Subject(child, diary, Number(new URL(url).port));
  }

  /** Undefined if the process does not answer, or has ended. */
  async state(): Promise<State | undefined> {
    if (this.ended !== undefined) return undefined;
    const answered = once(this.#child, 'message', {
      signal: AbortSignal.any([this.#gone.signal, AbortSignal.timeout(PATIENCE)]),
    }).then(
      ([state]) => state as State,
      () => undefined,
    );
    this.#child.send('state', () => {});
    return answered;
  }

  /** Ends it as an operator does; resolves with how it ended. */
  async stop(): Promise<string> {
    if (this.ended !== undefined) return this.ended;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const limit = setTimeout(() => this.#child.kill('SIGKILL'), PATIENCE);
    const [code, signal] = await exit;
    clearTimeout(limit);
    return String(signal ?? code);
  }
}
