import { readinessPathOf } from 'fwkit/http';
import type { Project } from 'fwkit/plugin';
import { fileOf, type Graph, HEALTH, idOf } from '../graph/index.js';
import type { Endpoint } from './endpoints.js';
import type { BothVersions } from './versions.js';

/**
 * The readiness probe, which is in no list of routes. None where it is answered nowhere, or by a route of the project, and where no
 * service says whether it is well, in neither version.
 */
export function readinessOf(
  project: Project,
  { before, after, providers }: BothVersions,
  served: readonly Endpoint[],
): Endpoint[] {
  const path = readinessPathOf(project);
  if (path === undefined || served.some(({ address }) => address?.path === path)) return [];
  const told = providers.filter(({ hasHealth }) => hasHealth).map(({ file }) => file);
  const checks = [...new Set([...told, ...checkedIn(after), ...checkedIn(before)])].sort();
  if (checks.length === 0) return [];
  return [
    {
      group: 'routes',
      kind: 'health',
      label: `GET ${path}`,
      file: 'plugin "health"',
      chain: [],
      checks,
      address: { method: 'GET', path },
      name: undefined,
    },
  ];
}

/** The files of services whose check can be read. */
const checkedIn = (graph: Graph): string[] =>
  [...graph.providers.values()].filter((file) =>
    graph
      .exported(file, 'default')
      .some((id) => graph.modules.get(fileOf(id))?.units.has(HEALTH) && id === idOf(fileOf(id), 'default')),
  );
