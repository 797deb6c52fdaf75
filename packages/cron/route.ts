import type { BaseRoute } from 'fwkit/plugin';
import type { Job } from './job.js';

/** A file under `cron/`. */
export interface CronRoute extends BaseRoute {
  readonly protocol: 'cron';
  /** `reports/daily` for `cron/reports/daily.ts`. */
  readonly name: string;
  readonly job: Job;
}

export const isCronRoute = (route: BaseRoute): route is CronRoute => route.protocol === 'cron';

export function cronRoute(kind: string, file: string, job: Job): CronRoute {
  const name = file.replace(/^cron\/|\.m?[jt]s$/g, '');
  const zone = job.timezone === 'UTC' ? '' : ` ${job.timezone}`;
  const label = `CRON ${name} ${job.pattern}${zone}`;
  return { kind, file, protocol: 'cron', label, id: `CRON ${name}`, name, job };
}
