import type { Brief } from '../../contributions/index.js';
import type { Generation } from '../../kernel/index.js';

/** Explains the generated types to an assistant. */
const GUIDANCE = `## Generated types

\`.fwk/types.d.ts\` gives \`ctx\` and \`req.params\` their types, from file paths. \`npx fwk types\` writes it, and so does a
running \`fwk dev\`. After adding, renaming or removing a file run it before the compiler. Never edit it, never commit
it, never declare \`ctx\` keys by hand.
`;

/** Empty for JavaScript. */
export const guidance = ({ project }: Generation): string => (project.language === 'ts' ? GUIDANCE : '');

/** Empty: the index already mentions the generated types with the routes. */
export const brief = (): Brief => ({});
