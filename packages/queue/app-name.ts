import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BootError, isObject, type Project } from 'fwkit/plugin';

/** Whether the names of keys can begin with it. */
export const isAppName = (name: unknown): name is string =>
  typeof name === 'string' && /^[\w@./~-]{1,214}$/.test(name);

/**
 * The name of an app by its package.json; outside of production with the mode behind it, so that `fwk dev` takes no jobs of production.
 * Throws a BootError where there is none.
 */
export function appName({ root, mode }: Project): string {
  const name = packageName(root);
  if (!isAppName(name))
    throw new BootError({
      message:
        "queues() needs a name for the app, and package.json has none. Add it there, or write queues({ connection, name: 'shop' }).",
    });
  return mode === 'production' ? name : `${name}.${mode}`;
}

function packageName(root: string): unknown {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    return isObject(manifest) ? manifest.name : undefined;
  } catch {
    // As if it had none.
    return undefined;
  }
}
