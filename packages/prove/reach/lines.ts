import type { Outside, Reach, Service } from './describe.js';

const EVERYTHING = '*';

/** A route and what it reaches, in one line. */
export function line(reach: Reach): string {
  const ctx = reach.lost.length > 0 ? [EVERYTHING] : reach.ctx;
  const lost = reach.lost.map(({ file, line: at }) => `${file}:${at}`);
  return [reach.route, ...words('ctx', ctx), ...outside(reach), ...words('cannot be followed:', lost)].join(
    '  ',
  );
}

/** A route with all that is known of it, one thing a line. */
export function page(reach: Reach): string[] {
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
