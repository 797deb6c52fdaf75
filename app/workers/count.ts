import { availableParallelism } from 'node:os';
import { BootError } from '../../kernel/index.js';

/** How many workers are meant; for `auto` the environment's `WEB_CONCURRENCY` wins over the number of cores. */
export function workerCount(workers: number | 'auto'): number {
  const given = process.env.WEB_CONCURRENCY;
  if (workers !== 'auto' || given === undefined || given === '')
    return whole('workers', workers === 'auto' ? availableParallelism() : workers, '"auto" or ');
  return whole('WEB_CONCURRENCY', /^\d+$/.test(given) ? Number(given) : given, '');
}

function whole(name: string, given: unknown, or: string): number {
  if (typeof given === 'number' && Number.isInteger(given) && given >= 1) return given;
  throw new BootError({
    message: `${name} is ${or}a whole number of at least 1, not ${JSON.stringify(given)}. Set it to one.`,
    code: 'FWK204',
  });
}
