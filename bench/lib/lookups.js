import { median } from './report.js';

const TIMES = 200_000;
const ROUNDS = 7;

/**
 * Returns the nanoseconds to find a route among `count` routes, by a literal path and by a parameter, over many
 * different paths.
 */
export async function lookups(count, nameOf) {
  const { Router } = await import('../../dist/plugins/http/routing/router.js');
  const router = new Router();
  const resources = Math.max(1, Math.floor(count / 5));
  for (let index = 0; index < resources; index += 1) {
    const path = `/api/v1/${nameOf(index)}`;
    router.add({ method: 'GET', path }, index);
    router.add({ method: 'POST', path }, index);
    router.add({ method: 'GET', path: `${path}/:id` }, index);
    router.add({ method: 'PUT', path: `${path}/:id` }, index);
    router.add({ method: 'GET', path: `${path}/:id/parts/:partId` }, index);
  }
  // The number of different paths is the same for all sizes, and they are spread over all routes, so that a difference
  // comes from the router and not from a CPU cache.
  const some = Array.from({ length: 1000 }, (_, turn) => `/api/v1/${nameOf((turn * 7919) % resources)}`);
  return {
    literal: nanoseconds(router, some),
    parameter: nanoseconds(
      router,
      some.map((path, turn) => `${path}/${turn}`),
    ),
  };
}

function nanoseconds(router, paths) {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const start = process.hrtime.bigint();
    let found = 0;
    for (let time = 0; time < TIMES; time += 1)
      if ('value' in router.find('GET', paths[time % paths.length])) found += 1;
    if (found !== TIMES) throw new Error(`The router did not find ${TIMES - found} paths.`);
    return Number(process.hrtime.bigint() - start) / TIMES;
  });
  return median(rounds);
}
