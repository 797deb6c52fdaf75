import type { Generation } from 'fwkit/plugin';

export function guidance({ project }: Generation): string {
  const { language } = project;
  const typed = language === 'ts' ? ': { to: string }' : '';
  return `## Queues

\`await ctx.queues.mail.add({ to }, { id, delay: 5_000 })\` adds a job (\`delay\`: ms) that survives a crash. It may run twice.

\`\`\`${language}
// ${project.display(`queues/mail.${language}`)}: import { queue } from '@fwkit/queue'
export default queue(async (data${typed}, ctx, { signal }) => ctx.mailer.send(data.to, signal));
\`\`\`
`;
}
