import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BootError, type CommandRun, ctxKeyOf, isObject, type Resolved } from 'fwkit/plugin';
import { type Endpoint, endpointsOf } from '../graph/endpoints.js';
import { Graph } from '../graph/graph.js';
import { providersIn, readModules } from '../graph/modules.js';
import { keepStdout, orAsJson, QUIET } from '../report/command-output.js';
import { type Broken, brokenBy, nearest } from './may.js';
import { type GuardInputs, guardInputs, type Leaves, leavesOf, walk } from './walk.js';

/** What a route reaches: by itself, by the middlewares in `chain`, and by all that they call. Files are relative to the root. */
interface Reach extends Leaves {
  readonly route: string;
  readonly file: string;
  readonly chain: readonly string[];
  /** What each of its middlewares, and everything that they lead to, reads. */
  readonly guards: readonly GuardInputs[];
}

/** What `fwk reach --json` prints. `excess`: what routes reach beyond their `may`, and mistakes in it. */
interface Answer {
  readonly version: 2;
  readonly routes: readonly Reach[];
  readonly excess: readonly Broken[];
}

/** The reach of the routes that words of a person mean: a label, a path, a file, or a part of one. All routes for ''. */
export async function survey(
  { project, routes }: Pick<Resolved, 'project' | 'routes'>,
  asked = '',
): Promise<Answer> {
  const graph = new Graph(await readModules(project, { providers: providersIn(project, ctxKeyOf) }));
  const placeOf = ({ label }: Endpoint): string => label.replace(/^(\S+) (.*)$/, '$2 $1');
  const endpoints = [...endpointsOf(project, routes)].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  const namesOf = ({ label, file }: Endpoint): readonly string[] =>
    [label, label.replace(/^\S+ /, ''), file, file.replace(/^src\//, '')].map((one) => one.toLowerCase());
  const words = asked.toLowerCase();
  const exact = endpoints.filter((one) => namesOf(one).includes(words));
  const chosen =
    exact.length > 0 ? exact : endpoints.filter((one) => namesOf(one).join('\n').includes(words));
  const message = `fwk reach: there is no route ${asked}. The nearest: ${nearest(words, endpoints.flatMap(namesOf))}.`;
  if (chosen.length === 0 && asked !== '') throw new BootError({ message, code: 'FWK603' });
  const guards = new Map(
    [...new Set(chosen.flatMap(({ before }) => before))].map((file) => [file, guardInputs(graph, file)]),
  );
  const manifest = JSON.parse(await readFile(join(project.root, 'package.json'), 'utf8').catch(() => '{}'));
  const lists = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'].map(
    (key) => manifest[key],
  );
  const packages = lists.flatMap((list) => (isObject(list) ? Object.keys(list) : []));
  const reaches = chosen.map(({ label, file, before }): Reach => {
    const ids = walk(
      graph,
      [file, ...before].flatMap((one) => graph.rootsOf(one)),
    ).map(({ id }) => id);
    return {
      route: label,
      file,
      chain: before,
      ...leavesOf(graph, ids),
      guards: before.flatMap((one) => guards.get(one) ?? []),
    };
  });
  return { version: 2, routes: reaches, excess: chosen.flatMap((one) => brokenBy(one, graph, packages)) };
}

/** `fwk reach [route]`: what each route can touch. The exit code is 2 if that can't be found out. */
export async function run(command: CommandRun): Promise<void> {
  process.exitCode = 2;
  const isJson = command.flags.json === true;
  const print = isJson ? keepStdout() : console.log;
  const found = await orAsJson(isJson, print, async () => {
    const resolved = await (await command.open({ purpose: 'build', logger: QUIET })).resolve();
    return survey(resolved, command.operands.join(' ').trim()).finally(() => resolved.close());
  });
  process.exitCode = 0;
  if (isJson) return print(JSON.stringify(found, null, 2));
  for (const reach of found.routes) print(line(reach));
  for (const { label, problem, fix } of found.excess) print(`✗ ${label} ${problem}. ${fix}`);
}

function line({ route, ctx, env, packages, node, net, templates, lost }: Reach): string {
  const places = lost.map(({ file, line: at, why }) => `${file}:${at}, where ${why}`).join('; ');
  const builtins = node.map((name) => name.replace(/^node:/, ''));
  const words = {
    ctx: lost.length > 0 ? ['*'] : ctx,
    env,
    packages,
    node: builtins,
    net,
    templates,
    'cannot be followed:': places === '' ? [] : [places],
  };
  const shown = Object.entries(words).filter(([, list]) => list.length > 0);
  return [route, ...shown.map(([name, list]) => `${name} ${list.join(' ')}`)].join('  ');
}
