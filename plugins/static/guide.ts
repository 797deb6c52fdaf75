import type { Generation } from '../../kernel/index.js';

export const guidance = ({ project: { language }, project }: Generation): string => `## Files

\`public/logo.svg\` is \`GET /logo.svg\`.

\`\`\`${language}
// ${project.display(`api/pictures/[id].get.${language}`)}
export default get((req) => file(req.params.id, { root: 'uploads', download: true, type: 'application/octet-stream' }));
\`\`\`
`;
