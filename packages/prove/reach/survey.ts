import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, type Resolved } from 'fwkit/plugin';
import { type Graph, readGraph, readTemplates } from '../graph/index.js';
import { Describer } from './describe.js';
import { type Broken, brokenBy } from './may.js';
import { type Reachable, reachables } from './reachable.js';

/** What is known of the reach of a project's routes. */
export interface Survey {
  readonly graph: Graph;
  readonly reachables: readonly Reachable[];
  readonly describer: Describer;
  /** What routes reach beyond their `may`, and mistakes in it. */
  readonly broken: readonly Broken[];
}

/** Read the modules of a resolved project, and see what its routes reach. */
export async function survey({ project, routes }: Pick<Resolved, 'project' | 'routes'>): Promise<Survey> {
  const [graph, templates, packages] = await Promise.all([
    readGraph(project),
    readTemplates(project.root),
    packagesOf(project.root),
  ]);
  const display = (file: string): string => project.display(file);
  const all = reachables(routes, project);
  return {
    graph,
    reachables: all,
    describer: new Describer(graph, templates, display),
    broken: brokenBy(all, graph, packages, display),
  };
}

/** The packages that the package.json of a project names. */
async function packagesOf(root: string): Promise<readonly string[]> {
  const text = await readFile(join(root, 'package.json'), 'utf8').catch(() => '{}');
  const given: unknown = JSON.parse(text);
  if (!isObject(given)) return [];
  const lists = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'].map(
    (key) => given[key],
  );
  return lists.flatMap((list) => (isObject(list) ? Object.keys(list) : []));
}
