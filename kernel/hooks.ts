import { AsyncSeriesHook, AsyncSeriesWaterfallHook, SyncHook } from 'tapable';
import type { Claims } from './claims.js';
import { BootError } from './errors.js';
import type { Generation } from './generation.js';
import type { Project } from './project.js';
import type { BaseRoute } from './routes.js';
import type { Serving } from './runtime.js';

/** The hooks as the kernel calls them. Plugins see them as `Hooks`, which says when each runs. */
export interface KernelHooks {
  readonly discover: SyncHook<[claims: Claims]>;
  readonly resolve: AsyncSeriesWaterfallHook<[routes: readonly BaseRoute[], project: Project]>;
  readonly serve: AsyncSeriesHook<[serving: Serving]>;
  readonly generate: AsyncSeriesHook<[generation: Generation]>;
}

/** The tap that is running, where one is. */
export interface RunningTap {
  current: { readonly plugin: string; readonly phase: string } | undefined;
}

export function createHooks(running: RunningTap = { current: undefined }): KernelHooks {
  const hooks: KernelHooks = {
    discover: new SyncHook(['claims'], 'discover'),
    resolve: new AsyncSeriesWaterfallHook(['routes', 'project'], 'resolve'),
    serve: new AsyncSeriesHook(['serving'], 'serve'),
    generate: new AsyncSeriesHook(['generation'], 'generate'),
  };
  for (const [phase, hook] of Object.entries(hooks)) hook.intercept({ register: guard(phase, running) });
  return Object.freeze(hooks);
}

/** Refuse a second tap of one name, and say which plugin failed, in which phase, on errors that are not the user's. */
function guard(phase: string, running: RunningTap) {
  const names = new Set<string>();
  return <Tap extends { name: string; fn: (...args: never[]) => unknown }>(tap: Tap): Tap => {
    if (names.has(tap.name))
      throw new Error(`"${tap.name}" taps ${phase} twice. Give the second tap another name.`);
    names.add(tap.name);
    const [plugin = tap.name] = tap.name.split(':');
    const blame = (cause: unknown): never => {
      throw cause instanceof BootError
        ? cause
        : new Error(`Plugin "${tap.name}" failed in ${phase}: ${String(cause)}`, { cause });
    };
    const check = (result: unknown): unknown => {
      // A waterfall keeps the old value when a tap returns nothing, which would lose the plugin's routes unseen.
      if (phase === 'resolve' && !Array.isArray(result)) blame('it did not return the routes');
      running.current = undefined;
      return result;
    };
    const fn = (...args: never[]): unknown => {
      running.current = { plugin, phase };
      try {
        const result = tap.fn(...args);
        return result instanceof Promise ? result.then(check, blame) : check(result);
      } catch (cause) {
        return blame(cause);
      }
    };
    return { ...tap, fn };
  };
}
