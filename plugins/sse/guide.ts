import type { Generation } from '../../kernel/index.js';

export const guidance = ({ project: { language }, project }: Generation): string => `## Server-sent events

\`\`\`${language}
// ${project.display(`api/live.get.${language}`)}: the returned function runs at disconnect. Clients reconnect with lastEventId
export default sse(({ ctx, emit, lastEventId }) =>
  ctx.news.subscribe(lastEventId, (item) => void emit('news', item, { id: item.id })),
);
\`\`\`
`;
