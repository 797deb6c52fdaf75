import type { Generation } from 'fwkit/plugin';

export const guidance = ({ project: { language }, project }: Generation): string => `## Cron

Jobs run once for all workers; for all machines only with @fwkit/redis or @fwkit/postgres.

\`\`\`${language}
// ${project.display(`cron/report.${language}`)}: import { job } from '@fwkit/cron'
export default job('0 3 * * *', (ctx, { at, signal }) => ctx.reports.make(at, signal), { timezone: 'Europe/Berlin' });
\`\`\`
`;
