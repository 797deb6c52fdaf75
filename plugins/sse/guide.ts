import type { Generation } from '../../kernel/index.js';

/** Guidance on server-sent events for coding assistants. */
export const guidance = ({ project: { language }, project }: Generation): string => `## Server-sent events

\`\`\`${language}
// ${project.display(`api/live.get.${language}`)}: the returned function runs when the client leaves. lastEventId is the last id of a client that is back
export default sse(({ ctx, emit, lastEventId }) =>
  ctx.news.subscribe(lastEventId, (item) => void emit('news', item, { id: item.id })),
);
\`\`\`
`;
