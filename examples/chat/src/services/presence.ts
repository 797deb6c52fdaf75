import { service } from 'fwkit';
import type { ToPage } from '../lib/messages.js';
import { ROOMS, type Room } from '../lib/rooms.js';

/** Milliseconds between counts of the people in a room. Others see a change within a second. */
const LOOK_MS = 500;

/** Sends the people in a room their number: on all machines, also after one of them has crashed. */
export default service((ctx, { onStart }) => {
  const told = new Map<Room, number>();

  async function look(room: Room): Promise<void> {
    const count = await ctx.rooms.count(room);
    if (count === (told.get(room) ?? 0)) return;
    told.set(room, count);
    const message: ToPage = { type: 'here', count };
    ctx.rooms.publish(room, message);
  }

  onStart(() => {
    let isLooking = false;
    const timer = setInterval(async () => {
      if (isLooking) return;
      isLooking = true;
      // Without Redis the number is unknown; the next round counts again.
      await Promise.allSettled(ROOMS.map(look));
      isLooking = false;
    }, LOOK_MS);
    return () => clearInterval(timer);
  });

  return { count: (room: Room): Promise<number> => ctx.rooms.count(room) };
});
