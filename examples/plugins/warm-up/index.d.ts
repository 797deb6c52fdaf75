import type { RuntimeCtx } from 'fwkit';
import type { BaseRoute, Plugin } from 'fwkit/plugin';

/** The options of `warmUp` in `fwk.config`. */
export interface WarmUpOptions {
  /** true: successful runs are not logged. Default: false. */
  readonly quiet?: boolean;
}

/** The default export of a file in `warm-up/`. */
export interface WarmUp {
  readonly run: (ctx: RuntimeCtx) => unknown;
}

export interface WarmUpRoute extends BaseRoute {
  readonly protocol: 'warm-up';
  readonly definition: WarmUp;
}

/** `export default defineWarmUp(async (ctx) => …)`: runs when the app has started. */
export function defineWarmUp(run: WarmUp['run']): WarmUp;

/** The plugin: `export default defineConfig({ plugins: [warmUp()] })`. */
export function warmUp(): Plugin;
