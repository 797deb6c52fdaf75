import type { Generation } from 'fwkit/plugin';

export const guidance = ({ project }: Generation): string => `## Policy

\`${project.display(`policy.${project.language}`)}\` declares who may call which routes. After adding a route or editing a middleware, run \`npx fwk prove\` and fix the code: move the route, narrow its parameter, repair the guard. Never change the policy, its baseline or \`.meta({ public: 'why' })\` unasked.
`;
