import { error, ws } from 'fwkit';
import { z } from 'zod';
import { FromPage, ToPage } from '../../lib/messages.js';
import { pace } from '../../lib/pace.js';
import { isRoom } from '../../lib/rooms.js';

/**
 * One person in a room. Lines must not be lost, so they come from the room's log, in the same order for everyone, with
 * ids to resume from. The number of people and the typing notices may be lost, so they are published to the room.
 */
export default ws(
  {
    params: z.object({ room: z.string() }),
    query: z.object({ after: z.string().max(40).optional() }),
    receive: FromPage,
    send: ToPage,
    // Survives a deploy: the connection then continues in a new worker.
    state: z.object({ last: z.string().default('') }),
  },
  async ({ params: { room }, state, req, ctx, signal, send, publish, join, onJson, onInvalid, close }) => {
    if (!isRoom(room)) throw error(404, 'There is no such room.');
    const by = ctx.visitor.nickname;
    const history = ctx.history(room);
    const mayGo = pace();

    onInvalid(() => send({ type: 'refused', why: 'A line has 1 to 500 characters.' }));
    onJson(async (message) => {
      if (message.type === 'typing') {
        if (mayGo()) publish(room, { type: 'typing', by }, { self: false });
      } else if (mayGo()) await history.append({ by, text: message.text, at: new Date().toISOString() });
      else await send({ type: 'refused', why: 'Slowly: one line a second.' });
    });

    join(room);
    await send({ type: 'here', count: await ctx.presence.count(room) });

    async function follow(): Promise<void> {
      // 0-0 is the beginning of the log.
      for await (const { id, data: line } of history.since(
        state.last || (req.query.after ?? '0-0'),
        signal,
      )) {
        // Together, so that the state always matches what was sent.
        state.last = id;
        await send({ type: 'line', id, line });
      }
    }
    // The loop ends with the connection. It isn't awaited, because messages from the page wait until this function
    // returns.
    follow().catch((cause) => {
      ctx.logger.warn({ err: cause }, `${room} cannot be followed`);
      close(1013, 'Try again later');
    });
  },
);
