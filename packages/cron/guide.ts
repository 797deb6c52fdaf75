import type { Brief, Generation } from 'fwkit/plugin';

/** Explains jobs at set times to an assistant. */
const GUIDANCE = `## Jobs at set times

\`cron/report.ts\`: \`export default job('0 3 * * *', async (ctx, { at, token, signal }) => { … }, { timezone: 'Europe/Berlin' })\` with \`job\`
from '@fwkit/cron'. The pattern is UTC without a timezone. It runs once for all processes; \`at\` is the time that it is for. One that
throws is logged, and not tried again. In a test: \`await runJob(app, 'report')\`.
`;

export const guidance = (): string => GUIDANCE;

export const page = 'node_modules/fwkit/docs/guide/cron.md';

/** The least of it. */
export const brief = ({ project }: Generation): Brief => ({
  files: [
    [
      project.display(`cron/report.${project.language}`),
      'a job at set times, once for all machines: `plugins: [cron()]` of `@fwkit/cron`',
    ],
  ],
  examples: [
    `// ${project.display(`cron/report.${project.language}`)}: import { job } from '@fwkit/cron'
export default job('0 3 * * *', (ctx, { at, signal }) => ctx.reports.make(at, signal), { timezone: 'Europe/Berlin' });`,
  ],
});
