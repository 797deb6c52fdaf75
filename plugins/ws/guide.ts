import { emitDirectory } from '../../contributions/index.js';
import type { Generation } from '../../kernel/index.js';

/** Creates the directory; a project may have no sockets. */
export function starter(generation: Generation): void {
  emitDirectory(generation, 'ws');
}

/** Guidance on WebSockets for coding assistants. */
export const guidance = ({ project: { language }, project }: Generation): string => `## WebSockets

\`\`\`${language}
// ${project.display(`ws/rooms/[room].${language}`)}: /ws/rooms/:room, once per connection, after the middlewares
export default ws({ receive: z.object({ text: z.string() }) }, ({ params, join, publish, send, onJson, onInvalid }) => {
  join(params.room);
  onJson((message) => publish(params.room, message)); // elsewhere ctx.rooms.publish(room, data)
  onInvalid(() => send({ error: 'invalid' })); // else it closes with 1007; above ws.maxPayload, 1 MiB, with 1009
});
\`\`\`
`;
