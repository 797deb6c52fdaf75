import { coded, type RuntimeCtx, type Scopes } from '../kernel/index.js';
import { FleetingSession, Guest, settledWithin } from '../plugins/context/index.js';

/** How long closing waits for work to be done, in milliseconds: it may be work that waits for the close itself. */
const END_TIMEOUT_MS = 10_000;

/** What is said where an app is to do `what`, and its services have ended. */
export const usedLate = (what: string): string =>
  `${what} is asked for after app.close(). Close the app when all that asks it is done.`;

/** Work that is done with a `ctx`, but for no request. */
export class Runs {
  readonly #scopes: Scopes;
  readonly #running = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(scopes: Scopes) {
    this.#scopes = scopes;
  }

  /** Call `work` in a scope of its own. Gives or throws what it does, when the scope has ended. */
  async run<T>(work: (ctx: RuntimeCtx) => T): Promise<Awaited<T>> {
    if (this.#isClosed) throw coded('FWK315', new Error(usedLate('app.run()')));
    const running = this.#run(work);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Whether the app is closed, or about to be. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** How many calls have not ended. */
  get left(): number {
    return this.#running.size;
  }

  /** Begin nothing more. Resolves when what runs is done, and after END_TIMEOUT_MS at the latest. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await settledWithin(Promise.allSettled(this.#running), END_TIMEOUT_MS);
  }

  async #run<T>(work: (ctx: RuntimeCtx) => T): Promise<Awaited<T>> {
    const scope = this.#scopes.open(new Guest(new FleetingSession(), 'app.run()'));
    try {
      return await work(scope.ctx);
    } finally {
      await scope.close();
    }
  }
}
