import type { Health, HealthStatus } from '../../kernel/index.js';
import type { Source } from './singleton-instance.js';

/** What says whether a service is well. */
export interface HealthCheck {
  readonly key: string;
  readonly check: () => Promise<HealthStatus>;
}

/** The checks of those services that have one, with the values that they look at. */
export function healthChecks(
  sources: readonly Source[],
  values: ReadonlyMap<string, unknown>,
): readonly HealthCheck[] {
  return sources.flatMap(({ key, provider: { health } }) =>
    health ? [{ key, check: once(async () => health(values.get(key)), key) }] : [],
  );
}

/** Have `runtime.health` ask them. Returns a function that takes them away again. */
export function addHealthChecks(health: Pick<Health, 'add'>, checks: readonly HealthCheck[]): () => void {
  const removals = checks.map(({ key, check }) => health.add(key, check));
  return () => {
    for (const remove of removals) remove();
  };
}

/** One at a time: of a check that hangs, each probe would begin another. */
function once(isWell: () => Promise<boolean>, key: string): () => Promise<HealthStatus> {
  let running: Promise<HealthStatus> | undefined;
  return () => {
    running ??= isWell()
      .then((ok) => (ok === true ? { ok } : { ok: false, detail: `health of ctx.${key} gave ${String(ok)}` }))
      .finally(() => {
        running = undefined;
      });
    return running;
  };
}
