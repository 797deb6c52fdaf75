/** Explains server-sent events to an assistant. */
const GUIDANCE = `## Server-sent events

In a GET file: \`export default sse(async ({ send, emit, signal, lastEventId, ctx }) => { … })\`. \`await send(data)\` per event,
\`emit('name', data, { id })\` with a name. It ends when the handler is done; return the function that unsubscribes to keep it open.
`;

export const guidance = (): string => GUIDANCE;
