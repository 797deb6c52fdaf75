import type { Brief } from '../../contributions/index.js';

/** Guidance for coding assistants: return values. */
const GUIDANCE = `## What a handler returns

| Result | Response |
|---|---|
| an object, array, string, number or boolean | 200, JSON; another status with \`res.status(201)\` before |
| nothing (\`undefined\`) | 204 |
| \`null\` | 404 from GET and HEAD, else 204 |
| a \`Buffer\`, stream or web \`Response\` | as it is |
| a string, after \`res.type('html')\` | 200, that type |

Return the value; do not call \`res.json()\`. A handler without \`return\` answers 204: a common mistake.
`;

export const guidance = (): string => GUIDANCE;

/** What is to be known of it is said with the routes. */
export const brief = (): Brief => ({});
