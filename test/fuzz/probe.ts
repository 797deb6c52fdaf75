import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Link } from './link.js';

/** Milliseconds between probes, and the limit for a response. */
const PERIOD = 500;
const PATIENCE = 2_000;
/** Milliseconds by which this process may be late; beyond that, the server is not to blame. */
const LATE = 300;

const REQUEST = Buffer.from('GET /api/items/probe HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');

/** Sends a simple request on its own connection at intervals and reports failures. */
export class Probe {
  /** The longest that an answer took, in milliseconds. */
  slowest = 0;
  readonly #port: () => number;
  readonly #tell: (why: string) => void;
  readonly #delay = monitorEventLoopDelay({ resolution: 20 });
  #stopping = false;
  #running: Promise<void> | undefined;

  constructor(port: () => number, tell: (why: string) => void) {
    this.#port = port;
    this.#tell = tell;
  }

  begin(): void {
    this.#stopping = false;
    this.#delay.enable();
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#running;
    this.#delay.disable();
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      await this.#ask();
      await new Promise((resolve) => setTimeout(resolve, PERIOD));
    }
  }

  async #ask(): Promise<void> {
    this.#delay.reset();
    const begun = performance.now();
    const link = await Link.open(this.#port());
    // The end of the process is reported elsewhere.
    if (!link) return;
    await link.send(REQUEST);
    const answer = await link.until(() => link.answers.done[0], PATIENCE);
    link.destroy();
    this.slowest = Math.max(this.slowest, performance.now() - begun);
    if (answer && answer.status !== 200) this.#tell(`the probe was answered with ${answer.status}`);
    if (!answer && !link.isOver && this.#delay.max / 1e6 < LATE)
      this.#tell(`the probe was not answered in ${PATIENCE / 1000} s`);
  }
}
