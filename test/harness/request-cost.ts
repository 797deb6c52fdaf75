import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { atExit } from './cleanup.js';
import { type Connection, connect } from './http.js';
import { Output } from './output.js';
import type { Project } from './project.js';

const callCounter = fileURLToPath(new URL('./call-counter.js', import.meta.url));
// Optimised code inlines calls and leaves out allocations, when and where V8 sees fit: interpreted, both are exact.
const exact = ['--no-opt', '--no-maglev', '--no-sparkplug'];
// Flags that prevent collections of the young generation during a measurement, so that heap growth equals allocation.
const uncollected = ['--expose-gc', '--max-semi-space-size=128', '--min-semi-space-size=128'];

const warming = 50;
const counted = 20;
const windows = 5;
const perWindow = 100;

/** An HTTP request as bytes, and a pattern for its whole response. */
export interface Exchange {
  readonly text: string;
  readonly answer: RegExp;
}

/** The cost of one request, independent of the machine and its load. */
export interface Spent {
  /** Calls of functions outside Node and the project itself, by name. */
  readonly calls: ReadonlyMap<string, number>;
  /** Bytes allocated in the young version, Node's own among them. */
  readonly bytes: number;
}

/** A server in its own process that counts the cost of requests. */
export interface Measured {
  spent(exchange: Exchange): Promise<Spent>;
  stop(): Promise<void>;
}

/** Starts a file of a project that prints `serves <url>`. */
export async function measured(project: Project, file: string): Promise<Measured> {
  const child = fork(project.path(file), [], {
    cwd: project.root,
    execArgv: [...exact, ...uncollected, '--import', callCounter],
    env: { ...process.env, NODE_ENV: 'production' },
    silent: true,
  });
  atExit(() => child.kill('SIGKILL'));
  const output = new Output(child);
  const [, url = ''] = await output.waitFor(/^serves (\S+)$/m);

  async function ask(question: string): Promise<unknown> {
    const answered = once(child, 'message');
    child.send(question);
    return (await answered)[0];
  }

  return {
    async spent(exchange) {
      const connection = await connect(url);
      await send(connection, exchange, warming);
      const bytes: number[] = [];
      for (let window = 0; window < windows; window += 1) {
        await ask('collect');
        await send(connection, exchange, perWindow);
        bytes.push(Number(await ask('bytes')) / perWindow);
      }
      await ask('count');
      await send(connection, exchange, counted);
      const calls = perRequest((await ask('calls')) as Record<string, number>, project);
      connection.close();
      // Other work of the process can only add to a measurement, so the minimum counts.
      return { calls, bytes: Math.min(...bytes) };
    },
    async stop() {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}

async function send(connection: Connection, { text, answer }: Exchange, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    connection.send(text);
    const got = await connection.read(answer);
    if (!answer.test(got)) throw new Error(`The server closed the connection after ${got}`);
  }
}

function perRequest(calls: Readonly<Record<string, number>>, { root }: Project): Map<string, number> {
  const own = Object.entries(calls).filter(([place]) => !place.startsWith(root));
  return new Map(own.map(([place, count]) => [path.basename(place), count / counted]));
}
