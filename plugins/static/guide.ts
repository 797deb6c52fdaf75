import type { Brief } from '../../contributions/index.js';
import type { Generation } from '../../kernel/index.js';

/** Files in a few lines. */
export const brief = ({ project }: Generation): Brief => ({
  files: [['public/logo.svg', '`GET /logo.svg`, at the root of the project']],
  examples: [
    `// ${project.display(`api/pictures/[name].get.${project.language}`)}: a file below root (of the project), with ranges; else 404
export default get((req) => file(req.params.name, { root: 'uploads' }));`,
  ],
});
