import { type Brief, emitDirectory } from '../../contributions/index.js';
import type { Generation } from '../../kernel/index.js';

/** The directory; a project may do without sockets. */
export function starter(generation: Generation): void {
  emitDirectory(generation, 'ws');
}

/** Explains sockets to an assistant. */
export function guidance({ project, plugins }: Generation): string {
  const { language } = project;
  const typed = language === 'ts' && plugins.has('typegen') ? "<'/ws/rooms/:room'>" : '';
  return `## WebSockets: \`${project.display('ws')}/\`

\`\`\`${language}
// ${project.display(`ws/rooms/[room].${language}`)}: /ws/rooms/:room
import { ws } from 'fwkit';

export default ws${typed}(({ params, join, publish, onJson, onClose }) => {
  join(params.room);
  onJson((message) => publish(params.room, { message })); // to all in the room; onMessage gets text and Buffers
  onClose(() => publish(params.room, { left: true }));
});
\`\`\`

It runs once per connection. \`send(data)\` takes text, bytes or what JSON has; \`close(code, reason)\` ends it. Messages come in
order: the next one waits for the callback's promise. Middlewares run before: a 401 is thrown there.
Schemas: \`ws({ receive, send }, handler)\`.
`;
}

/** Sockets in a few lines. */
export function brief({ project }: Generation): Brief {
  const file = project.display(`ws/rooms/[room].${project.language}`);
  return {
    files: [[file, 'a WebSocket at `/ws/rooms/:room`']],
    examples: [
      `// ${file}: runs once for each connection
const Said = z.object({ text: z.string() });
const params = z.object({ room: z.string() });
export default ws({ params, receive: Said }, ({ params, ctx, join, publish, send, onJson, onInvalid, onClose }) => {
  join(params.room);
  onJson((said) => publish(params.room, said)); // to all in the room, the sender too
  onInvalid(() => send({ error: 'invalid' })); // else what does not fit closes with 1007
});`,
    ],
  };
}
