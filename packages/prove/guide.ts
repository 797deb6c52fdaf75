import type { Generation } from 'fwkit/plugin';

/** Guidance for coding assistants: the policy. */
export const guidance = ({ project }: Generation): string => `## Policy

\`${project.display(`policy.${project.language}`)}\` says which middlewares routes pass. After adding a route or editing a middleware, run \`npx fwk prove\` and fix the code: move the route, narrow its parameter, repair the guard. Never change the policy, or add \`.except(…)\` or \`.meta({ public: 'why' })\`, unasked.
`;
