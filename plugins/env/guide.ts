import type { Generation } from '../../kernel/index.js';

export const guidance = ({ project }: Generation): string =>
  `- \`${project.display(`env.${project.language}`)}\` is \`ctx.env\` from \`.env\`, checked at startup: \`export default env(z.object({ DB: secret(z.string()), MAX: z.number().default(50) }))\`.`;
