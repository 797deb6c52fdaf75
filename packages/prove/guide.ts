import type { Brief, Generation } from 'fwkit/plugin';

/** Explains the policy to an assistant. */
const GUIDANCE = `## Who may pass where: policy.ts

\`policy.ts\` beside \`fwk.config\` says which middlewares routes pass, and who is refused. \`npx fwk prove\` holds the project to it, and
\`npx fwk build\` fails with what does not hold. After adding or moving a route, or editing a middleware, run \`npx fwk prove\` (\`--static\` sends no
request), or call the tool \`prove\` of \`/_fwk/mcp\`, and fix what it lists.

- \`does not pass …/_middleware.ts\`: the route answers below a guarded URL from a directory without the guard. Move its file to where the finding says.
- \`answers /api/admin/zz, and does not pass …\`: a parameter or catch-all takes URLs of a guarded area. Narrow its path.
- \`lets … in\`: a guard of the chain does not refuse. Fix the guard, not the policy.
- Never make a finding go away with \`.except(pattern, why)\` or \`.meta({ public: 'why' })\` unless a person has asked for it: both are shown in each report.
- A new area that is guarded gets a rule: \`under('api/staff/**').passes('api/staff').refuses(anonymous, member).admits(staff)\`.
`;

export const guidance = (): string => GUIDANCE;

export const page = 'node_modules/fwkit/docs/guide/prove.md';

/** The least of it. */
export const brief = ({ project }: Generation): Brief => ({
  files: [
    [
      project.display(`policy.${project.language}`),
      'who may pass where: `npx fwk prove`, or the tool `prove` of `/_fwk/mcp`, after adding a route or editing a guard; fix what it lists, add no exception unasked',
    ],
  ],
});
