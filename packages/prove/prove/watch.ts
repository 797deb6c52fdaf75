import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setImmediate } from 'node:timers/promises';
import type { Reload } from 'fwkit';

import { logSafely, type Runtime, type Serving } from 'fwkit/plugin';
import type { PolicyNews, Served } from './development.js';

/** Looks at the policy after each save, while `fwk dev` runs. */
class PolicyWatch {
  current: Served | undefined;
  /** Made when it is first needed, which is not while the project starts. */
  #news: PolicyNews | undefined;
  /** One look at a time, in the order of the saves. */
  #looking: Promise<unknown> = Promise.resolve();

  constructor(runtime: Runtime) {
    const heard = (message: unknown): void => this.#reloaded(message as Reload);
    subscribe('fwk.reload', heard);
    runtime.onEnd(() => {
      unsubscribe('fwk.reload', heard);
      return this.#looking;
    });
  }

  /** Resolves with what is to be told of a version, when those before have been looked at. */
  look(served: Served, changed: number): Promise<readonly string[]> {
    const lines = this.#looking.then(() => this.#linesAbout(served, changed));
    this.#looking = lines;
    return lines;
  }

  #reloaded({ isServed, routes, notes }: Reload): void {
    if (isServed && this.current)
      notes.push(
        this.look(this.current, routes.added.length + routes.removed.length + routes.changed.length),
      );
  }

  async #linesAbout(served: Served, changed: number): Promise<readonly string[]> {
    // The requests that waited for the save come first, and the line that says that it is served.
    await setImmediate();
    try {
      this.#news ??= new (await import('./development.js')).PolicyNews();
      return await this.#news.about(served, changed);
    } catch (thrown) {
      logSafely(served.project.logger, 'error', 'The policy could not be looked at', thrown);
      return [];
    }
  }
}

/** Have a developer told after each save which guards it has lost. */
export async function watchPolicy({ runtime, project, routes, onStart, onClose }: Serving): Promise<void> {
  const watch = await runtime.getOrCreate('prove.watch', () => new PolicyWatch(runtime));
  onStart(() => {
    const isFirst = !watch.current;
    watch.current = { project, routes };
    // No save, so nobody else tells it.
    if (isFirst)
      void watch.look(watch.current, 0).then((lines) => {
        for (const line of lines) console.log(line);
      });
  });
  // The next version takes its place before, unless the plugin is disabled there.
  onClose(() => {
    if (watch.current?.project === project) watch.current = undefined;
  });
}
