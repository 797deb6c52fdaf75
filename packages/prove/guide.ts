import type { Generation } from 'fwkit/plugin';

export const guidance = ({ project }: Generation): string => `## Policy

\`${project.display(`policy.${project.language}`)}\` declares who may call each route. After adding a route or editing a middleware, run \`npx fwk prove\` and fix the code: move the route, narrow its parameter or fix the guard. Only edit the policy, its baseline or \`.meta({ public: 'why' })\` when asked.
`;
