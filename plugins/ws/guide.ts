import { emitDirectory } from '../../contributions/index.js';
import type { Generation } from '../../kernel/index.js';

export function starter(generation: Generation): void {
  emitDirectory(generation, 'ws');
}

export const guidance = ({ project: { language }, project }: Generation): string => `## WebSockets

\`\`\`${language}
// ${project.display(`ws/rooms/[room].${language}`)}: /ws/rooms/:room, once per connection, after the middlewares
export default ws({ receive: z.object({ text: z.string() }) }, ({ params, join, publish, send, onJson, onInvalid }) => {
  join(params.room);
  onJson((message) => publish(params.room, message)); // in routes: ctx.rooms.publish(room, data)
  onInvalid(() => send({ error: 'invalid' })); // else close code 1007; above ws.maxPayload, 1 MiB: 1009
});
\`\`\`
`;
