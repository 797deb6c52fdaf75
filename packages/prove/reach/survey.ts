import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BootError, type CommandRun, isObject, type Resolved } from 'fwkit/plugin';
import { type Endpoint, endpointsOf } from '../graph/endpoints.js';
import { Graph } from '../graph/graph.js';
import { providersIn, readModules } from '../graph/modules.js';
import { nearestFirst } from '../policy/nearest-first.js';
import { QUIET, redirected } from '../report/command-output.js';
import { type Broken, brokenBy } from './may.js';
import { type GuardInputs, guardInputs, type Leaves, leavesOf, walk } from './walk.js';

/** Everything that a route and the middlewares in `chain` reach. Files are relative to the root. */
interface Reach extends Leaves {
  readonly route: string;
  readonly file: string;
  readonly chain: readonly string[];
  /** The inputs of each middleware. */
  readonly guards: readonly GuardInputs[];
}

/** The output of `fwk reach --json`. `excess`: things that routes reach beyond their `may`, and mistakes in `may`. */
interface Answer {
  readonly version: 2;
  readonly routes: readonly Reach[];
  readonly excess: readonly Broken[];
}

/** Surveys the routes that have a label, a path or a file, or else the routes that contain the words. */
export async function survey(
  { project, routes }: Pick<Resolved, 'project' | 'routes'>,
  asked = '',
): Promise<Answer> {
  const graph = new Graph(await readModules(project, { providers: providersIn(project) }));
  const chosen = chooseEndpoints(endpointsOf(project, routes), asked);
  const manifest = JSON.parse(await readFile(join(project.root, 'package.json'), 'utf8').catch(() => '{}'));
  const kinds = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];
  const packages = kinds.flatMap((kind) => (isObject(manifest[kind]) ? Object.keys(manifest[kind]) : []));
  const guards = new Map(
    [...new Set(chosen.flatMap(({ before }) => before))].map((file) => [file, guardInputs(graph, file)]),
  );
  const reaches = chosen.map(({ label, file, before }): Reach => {
    const roots = [file, ...before].flatMap((one) => graph.rootsOf(one));
    const ids = walk(graph, roots).map(({ id }) => id);
    const inputs = before.flatMap((one) => guards.get(one) ?? []);
    return { route: label, file, chain: before, ...leavesOf(graph, ids), guards: inputs };
  });
  return { version: 2, routes: reaches, excess: chosen.flatMap((one) => brokenBy(one, graph, packages)) };
}

function chooseEndpoints(all: readonly Endpoint[], asked: string): readonly Endpoint[] {
  const placeOf = ({ label }: Endpoint): string => label.replace(/^(\S+) (.*)$/, '$2 $1');
  const endpoints = [...all].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  const namesOf = ({ label, file }: Endpoint): readonly string[] =>
    [label, label.replace(/^\S+ /, ''), file, file.replace(/^src\//, '')].map((one) => one.toLowerCase());
  const words = asked.toLowerCase();
  const exact = endpoints.filter((one) => namesOf(one).includes(words));
  const chosen =
    exact.length > 0 ? exact : endpoints.filter((one) => namesOf(one).join('\n').includes(words));
  if (chosen.length > 0 || asked === '') return chosen;
  const [nearest] = nearestFirst(endpoints.flatMap(namesOf), words);
  throw new BootError({
    message: `fwk reach: there is no route ${asked}. The nearest: ${nearest}.`,
    code: 'FWK603',
  });
}

/** `fwk reach [route]`. The exit code is 2 if the command fails. */
export async function run(command: CommandRun): Promise<void> {
  process.exitCode = 2;
  const isJson = command.flags.json === true;
  const found = await redirected(isJson, async () => {
    const resolved = await (await command.open({ purpose: 'build', logger: QUIET })).resolve();
    return survey(resolved, command.operands.join(' ').trim()).finally(() => resolved.close());
  });
  process.exitCode = 0;
  if (isJson) return console.log(JSON.stringify(found, null, 2));
  for (const reach of found.routes) console.log(lineOf(reach));
  for (const { label, problem, fix } of found.excess) console.log(`✗ ${label} ${problem}. ${fix}`);
}

function lineOf({ route, ctx, env, packages, node, net, templates, lost }: Reach): string {
  const names = { ctx: lost.length > 0 ? ['*'] : ctx, env, packages, node, net, templates };
  const words = Object.entries(names).flatMap(([kind, list]) =>
    list.length > 0 ? [`${kind} ${list.join(' ').replace(/node:/g, '')}`] : [],
  );
  const places = lost.map(({ file, line, why }) => `${file}:${line}, where ${why}`).join('; ');
  return [route, ...words, ...(places === '' ? [] : [`cannot be followed: ${places}`])].join('  ');
}
