import type { Generation } from '../../kernel/index.js';

export const guidance = ({ project }: Generation): string =>
  `- \`${project.display(`env.${project.language}`)}\` is \`ctx.env\`: \`export default env(z.object({ KEY: secret(z.string()) }))\`.`;
