/** A backend: the app in `fwk/proxied` with two workers, and functions that reload, stop and kill them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const MAIN = join(import.meta.dirname, '../fwk/proxied/main.js');

export class Backend {
  #child;
  #output = '';
  #status;

  constructor(name, port, orders) {
    this.name = name;
    this.port = port;
    this.orders = orders;
    process.once('exit', () => this.#child?.kill('SIGKILL'));
  }

  /** Resolves when the backend is ready. */
  async start() {
    const env = { ...process.env, NODE_ENV: 'production', PORT: String(this.port), HOST: '127.0.0.1' };
    const child = spawn(process.execPath, [MAIN], {
      env: { ...env, ORDERS: this.orders },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#status = once(child, 'close');
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        this.#output += text;
      });
    await until(async () => {
      const answer = await fetch(`http://127.0.0.1:${this.port}/readyz`, {
        headers: { connection: 'close' },
      });
      return answer.status === 200 && this.#workers().length >= 2;
    });
  }

  /** SIGHUP: resolves when the new workers serve requests. */
  reload = () => this.#after(/new workers serve/, () => this.#child.kill('SIGHUP'));

  /** SIGTERM to a worker: resolves when its replacement serves requests. */
  retireOne = () => this.#after(/takes its place/, () => process.kill(this.#workers().at(-1), 'SIGTERM'));

  /** SIGKILL to a worker: resolves when its replacement has started. */
  killOne = () =>
    this.#after(/another one takes its place/, () => process.kill(this.#workers().at(-1), 'SIGKILL'));

  /** Sends SIGTERM to the whole backend, and starts it again. */
  async restart() {
    const status = await this.stop();
    if (status !== 0) throw new Error(`${this.name} exited with ${status}:\n${this.#output.slice(-2_000)}`);
    await this.start();
  }

  async stop() {
    this.#child.kill('SIGTERM');
    const [code, signal] = await this.#status;
    return code ?? signal;
  }

  /** Returns its warnings and errors from the log, except for messages about ended workers. */
  warnings() {
    return this.#output
      .split('\n')
      .filter((line) => line !== '' && !/"level":"info"|takes its place/.test(line));
  }

  /** Megabytes of all its processes. */
  memory() {
    const rss = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
    const pids = [this.#child.pid, ...this.#workers()];
    return { processes: pids.length, mb: pids.reduce((sum, pid) => sum + rss(pid), 0) / 1024 };
  }

  /** The pids of its workers from oldest to newest, including workers that are shutting down. */
  #workers() {
    const { pid } = this.#child;
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g)?.map(Number) ?? [];
  }

  async #after(line, act) {
    const from = this.#output.length;
    act();
    await until(() => line.test(this.#output.slice(from)));
  }
}

async function until(holds) {
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(50))
    if (
      await Promise.resolve()
        .then(holds)
        .catch(() => false)
    )
      return;
  throw new Error('The backend was not ready after 30 s');
}
