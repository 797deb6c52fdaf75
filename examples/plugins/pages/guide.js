/** @import { Guide } from 'fwkit/plugin' */

const EXAMPLE = `import { page } from 'fwk-pages';

export default page((req) => (
  <html lang="en">
    <title>Hello</title>
    <h1>Hello {req.query.name ?? 'world'}</h1>
  </html>
));
`;

/** For `fwk scaffold`. @type {NonNullable<Guide['starter']>} */
export const starter = ({ project, emit }) =>
  emit({ path: project.display('pages/hello.tsx'), contents: EXAMPLE, ifExists: 'keep' });

/** For `fwk skills`. @type {NonNullable<Guide['guidance']>} */
export const guidance = ({ project }) => `## pages: \`${project.display('pages/')}\`

Each \`.tsx\` file is a page, rendered on the server with Preact. Paths work as in \`web/\`:

\`\`\`tsx
// ${project.display('pages/hello.tsx')}: GET /hello
${EXAMPLE}\`\`\`
`;
