import type { Brief, Generation } from 'fwkit/plugin';

/** Explains jobs to an assistant. */
const GUIDANCE = `## Jobs

\`queues/mail.ts\`: \`export default queue(async (data: { to: string }, ctx, job) => { … }, { attempts: 3 })\` with \`queue\` from '@fwkit/queue' is
\`await ctx.queues.mail.add({ to }, { id, delay })\` everywhere, typed from the file. Delays are milliseconds. A job may run twice: write it so that this does no
harm. \`job.signal\` aborts when the process has to end.
`;

export const guidance = (): string => GUIDANCE;

export const page = 'node_modules/fwkit/docs/guide/queues.md';

/** The least of it. */
export function brief({ project }: Generation): Brief {
  const file = project.display(`queues/mail.${project.language}`);
  const typed = project.language === 'ts' ? ': { to: string }' : '';
  return {
    files: [[file, 'a consumer of jobs that survive a crash: `await ctx.queues.mail.add({ to })`']],
    examples: [
      `// ${file}: import { queue } from '@fwkit/queue'; tried again when it throws
export default queue(async (data${typed}, ctx, { id, attempt, signal }) => ctx.mailer.send(data.to, signal), { attempts: 3 });`,
    ],
  };
}
