import type { Generation } from '../../kernel/index.js';

/** How an assistant sees that its work is right: one sentence each, without its full stop. */
export const checks = ({ project, plugins }: Generation): readonly string[] => [
  '`npx fwk routes` boots the project, reports all of its mistakes at once, and prints `<METHOD> <path>` for each route',
  ...(project.language === 'ts'
    ? [
        `\`${plugins.has('typegen') ? 'npx fwk types && ' : ''}npx tsc --noEmit\` (types of \`ctx\` are made from file names: never write them)`,
      ]
    : []),
  '`npx fwk dev --port 3000` serves and reloads on save; try it with `curl -i`',
];
