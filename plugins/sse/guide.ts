import type { Brief } from '../../contributions/index.js';
import type { Generation } from '../../kernel/index.js';

/** Explains server-sent events to an assistant. */
const GUIDANCE = `## Server-sent events

In a GET file: \`export default sse(async ({ send, emit, signal, lastEventId, ctx }) => { … })\`. \`await send(data)\` per event,
\`emit('name', data, { id })\` with a name. It ends when the handler is done; return the function that unsubscribes to keep it open.
`;

export const guidance = (): string => GUIDANCE;

/** Events in a few lines. */
export const brief = ({ project }: Generation): Brief => ({
  examples: [
    `// ${project.display(`api/live.get.${project.language}`)}: server-sent events; what it returns runs when the client leaves
export default sse(({ ctx, send, emit, signal }) => ctx.news.subscribe((one) => void emit('news', one)));`,
  ],
});
