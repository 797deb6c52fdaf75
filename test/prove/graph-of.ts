import { posix } from 'node:path';
import type { Graph } from '../../packages/prove/graph/graph.js';
import { readGraph } from '../../packages/prove/graph/read-graph.js';

/** What a project in memory is made of: texts by path relative to its source directory. */
export type Files = Readonly<Record<string, string>>;

const isProvider = (file: string): boolean => /^(services|di)\//.test(file);

/** The graph of a project that is in memory alone: each file of `services/` and `di/` is a key of `ctx`, by its name. */
export function graphOf(files: Files, order: readonly string[] = Object.keys(files)): Promise<Graph> {
  const resolve = (specifier: string, importer: string): string | undefined => {
    if (!specifier.startsWith('.')) return undefined;
    const path = posix.join(posix.dirname(importer), specifier).slice(1);
    const found = [path.replace(/\.js$/, '.ts'), path].find((one) => one in files);
    return found === undefined ? undefined : `/${found}`;
  };
  const providers = order
    .filter(isProvider)
    .map((file) => ({ key: posix.basename(file).replace(/\.\w+$/, ''), file, lifetime: 'singleton' }));
  const project = {
    root: '/',
    source: '/',
    providers,
    entries: order.map((file) => ({ kind: 'any', file })).filter(({ file }) => !/^lib\//.test(file)),
    resolveImport: async (specifier: string, importer: string) => resolve(specifier, importer),
  };
  return readGraph(project, { files: order, read: async (file) => files[file] });
}

export const GET = "import { get } from 'fwkit';\n";
export const SERVICE =
  "import { service } from 'fwkit';\nexport default service(() => ({ m0: () => 1, m1: () => 2 }));\n";

/** The text of a route that answers with an expression. */
export const handler = (body: string): string => `${GET}export default get((req, res, ctx) => ${body});\n`;

/** What a route with this text reaches, in a project of two services and `more`. */
export async function reachOf(text: string, more: Files = {}) {
  const services = { 'services/s1.ts': SERVICE, 'services/s2.ts': SERVICE };
  const graph = await graphOf({ ...services, ...more, 'api/a.get.ts': text });
  const { units, touched } = graph.reach(['api/a.get.ts']);
  return { units, keys: [...touched].sort(), leaves: graph.leavesOf(units) };
}
