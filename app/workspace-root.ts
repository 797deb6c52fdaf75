import { BootError, type ProjectPaths } from '../kernel/index.js';
import { conventionDirectories } from './builtins.js';
import { markIn } from './locate.js';
import type { WorkspacePackage } from './workspace.js';

/** How many projects the message names at most. */
const NAMED = 3;

/**
 * Throws a BootError where `paths` is the root of a workspace and no project: what is meant is a package below it, and all that could
 * be booted has no route.
 */
export async function refuseWorkspaceRoot({ root, source }: ProjectPaths): Promise<void> {
  if (source !== root || markIn(root, conventionDirectories()) !== undefined) return;
  const { workspaceIn } = await import('./workspace.js');
  const packages = workspaceIn(root);
  if (packages === undefined) return;
  const named = packages.filter(isProject).map(({ folder }) => folder);
  const more = named.length > NAMED ? ' or another' : '';
  throw new BootError({
    message: `${root} is the root of a workspace, and no project. Give the folder of one${named.length > 0 ? `, ${named.slice(0, NAMED).join(', ')}${more},` : ''} as --dir, or as "dir" of createTestApp().`,
    code: 'FWK605',
  });
}

/** A front end has fwkit, too, for its client. */
const isProject = ({ manifest }: WorkspacePackage): boolean =>
  manifest.devDependencies?.['@fwkit/build'] !== undefined ||
  Object.values(manifest.scripts ?? {}).some((script) => /\bfwk (?:dev|build)\b/.test(script));
