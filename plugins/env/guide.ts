import type { Generation } from '../../kernel/index.js';

export function guidance({ project }: Generation): string {
  const { language } = project;
  return `## Environment variables

\`${project.display(`env.${language}`)}\` checks them at startup; read them as \`ctx.env\`, or \`import env from './env.js'\`. Don't read \`process.env\`.

\`\`\`${language}
export default env(z.object({ DATABASE_URL: secret(z.url()), MAX_ITEMS: z.number().default(50) }));
\`\`\`
`;
}
