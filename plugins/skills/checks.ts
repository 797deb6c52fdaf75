import type { Generation } from '../../kernel/index.js';

/** How an assistant sees that its work is right: one sentence each, without its full stop. */
export const checks = ({ project, plugins }: Generation): readonly string[] => [
  '`npx fwk routes` prints all mistakes at once, or `<METHOD> <path>` for each route',
  ...(project.language === 'ts'
    ? [
        `\`${plugins.has('typegen') ? 'npx fwk types && ' : ''}npx tsc --noEmit\` (types of \`ctx\` come from file names: never write them)`,
      ]
    : []),
  '`npx fwk dev --port 3000` reloads on save; try it with `curl -i`',
];
