import { BootError, type CommandRun } from 'fwkit/plugin';
import { keepStdout, orAsJson, QUIET } from '../report/command-output.js';
import { type Answer, answer, type Outside, type Reach, type Service, survey } from './survey.js';

/** `fwk reach [route]`: what each route can touch. The status is 2 where that cannot be said. */
export async function run(command: CommandRun): Promise<void> {
  process.exitCode = 2;
  const isJson = command.flags.json === true;
  // What the project prints while it is imported must not come between.
  const print = isJson ? keepStdout() : console.log;
  const asked = command.operands.join(' ').trim();
  const found = await orAsJson(isJson, print, () => reached(command, asked));
  process.exitCode = 0;
  if (isJson) return print(JSON.stringify(found, null, 2));
  const { routes, excess } = found;
  const lines = routes.length === 1 && asked !== '' ? routes.flatMap(page) : routes.map(line);
  for (const one of lines) print(one);
  for (const { label, problem, fix } of excess) print(`✗ ${label} ${problem}. ${fix}`);
}

/** Rejects with a BootError where no route is the one that is asked for. */
async function reached({ open }: CommandRun, asked: string): Promise<Answer> {
  const resolved = await (await open({ purpose: 'build', logger: QUIET })).resolve();
  try {
    const found = answer(await survey(resolved), asked);
    if (typeof found === 'string') throw new BootError({ message: `fwk reach: ${found}`, code: 'FWK603' });
    return found;
  } finally {
    await resolved.close();
  }
}

const EVERYTHING = '*';

/** A route and what it reaches, in one line. */
function line(reach: Reach): string {
  const ctx = reach.lost.length > 0 ? [EVERYTHING] : reach.ctx;
  const lost = reach.lost.map(({ file, line: at }) => `${file}:${at}`);
  return [reach.route, ...words('ctx', ctx), ...outside(reach), ...words('cannot be followed:', lost)].join(
    '  ',
  );
}

/** A route with all that is known of it, one thing a line. */
function page(reach: Reach): string[] {
  const { route, file, chain, services, lost } = reach;
  const own = outside(reach);
  return [
    `${route}  ${file}`,
    ...chain.map((one) => `  passes ${one}`),
    ...services.map(service),
    ...(own.length > 0 ? [`  in all  ${own.join('  ')}`] : []),
    ...lost.map((one) => `  cannot be followed: ${one.file}:${one.line}, where ${one.why}`),
  ];
}

const service = (one: Service): string =>
  [
    `  ctx.${one.key}`,
    ...(one.file === undefined ? [] : [one.file]),
    ...words('ctx', one.ctx),
    ...outside(one),
  ].join('  ');

const outside = ({ env, packages, node, net, templates }: Outside): string[] => [
  ...words('env', env),
  ...words('packages', packages),
  ...words(
    'node',
    node.map((name) => name.replace(/^node:/, '')),
  ),
  ...words('net', net),
  ...words('templates', templates),
];

const words = (name: string, values: readonly string[]): string[] =>
  values.length > 0 ? [`${name} ${values.join(' ')}`] : [];
