import type { Brief, Generation } from '../../kernel/index.js';

/** Files in a few lines. */
export const brief = ({ project }: Generation): Brief => ({
  files: [['public/logo.svg', '`GET /logo.svg`, at the root of the project']],
  examples: [
    `// ${project.display(`api/pictures/[name].get.${project.language}`)}: a file, with ranges; 404 for none and for any way out of root
export default get((req) => file(req.params.name, { root: 'uploads' }));`,
  ],
});
