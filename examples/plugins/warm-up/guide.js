import { emitModule } from 'fwkit/plugin';

/** @import { Guide } from 'fwkit/plugin' */

const EXAMPLE = `import { defineWarmUp } from 'fwk-warm-up';

export default defineWarmUp(async (ctx) => ctx.logger.info('Hello'));
`;

/** For `fwk scaffold`. @type {NonNullable<Guide['starter']>} */
export function starter(generation) {
  emitModule(generation, 'warm-up/hello', () => EXAMPLE);
}

/** For `fwk skills`. @type {NonNullable<Guide['guidance']>} */
export function guidance({ project }) {
  const { language } = project;
  return `## warm-up: \`${project.display('warm-up')}/\`

Each file runs once the app has started, and again after an edit:

\`\`\`${language}
// ${project.display(`warm-up/hello.${language}`)}
${EXAMPLE}\`\`\`
`;
}
