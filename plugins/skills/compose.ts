import type { Generation } from '../../kernel/index.js';
import { checks } from './checks.js';

/** The guidance of all conventions as one text, in Markdown. */
export async function compose(generation: Generation): Promise<string> {
  const { project, plugins } = generation;
  const guides = await Promise.all([...plugins.values()].map(({ guide }) => guide?.()));
  const parts = guides.map((guide) => guide?.guidance?.(generation) ?? '').filter((part) => part !== '');
  const typescript = project.language === 'ts';
  const source = project.source === project.root ? 'the root of the project' : `\`${project.display('')}/\``;
  return `# fwk

This project is built with fwk: the npm package \`fwkit\`, the command \`npx fwk\`. Its files are its structure: a file in
a convention directory is a route, a service or a middleware because of where it is and what it exports. The directories
are in ${source}, the code is ${typescript ? 'TypeScript' : 'JavaScript'}, ESM only.

- Adding a feature is adding files. Nothing is registered anywhere.
- Each convention file has one default export, made by the wrapper of its kind. A bare function refuses to boot.
- Everything of the framework is imported from \`fwkit\`${typescript ? '; project files import one another with `.js` at the end' : ', never with require()'}.
- Helpers that are no route or service go outside the convention directories (\`${project.display('lib')}/\`) or get a name that begins
  with \`_\`. Tests (\`*.test.*\`, \`*.spec.*\`, \`__tests__/\`) may be anywhere.
- Options and switched-off conventions are in \`${project.display(`fwk.config.${project.language}`)}\`; secrets in \`.env\` files at the root, read as
  \`process.env.NAME\`.

${parts.map((part) => part.trim()).join('\n\n')}

## Check your work

${checks(generation)
  .map((step, index) => `${index + 1}. ${step}.`)
  .join('\n')}
`;
}
