import { service } from 'fwkit';
import type { ToPage } from '../lib/messages.js';
import { ROOMS, type Room } from '../lib/rooms.js';

/** Milliseconds between two counts of the people in a room. Clients see a change within a second. */
const COUNT_MS = 500;

/** Sends the number of people in a room to its members, on all machines and also after one of them has crashed. */
export default service((ctx, { onStart }) => {
  const lastCounts = new Map<Room, number>();

  async function updateCount(room: Room): Promise<void> {
    const count = await ctx.rooms.count(room);
    if (count === (lastCounts.get(room) ?? 0)) return;
    lastCounts.set(room, count);
    const message: ToPage = { type: 'here', count };
    ctx.rooms.publish(room, message);
  }

  onStart(() => {
    let isCounting = false;
    const timer = setInterval(async () => {
      if (isCounting) return;
      isCounting = true;
      // If Redis is unavailable, the number is unknown. The next round counts again.
      await Promise.allSettled(ROOMS.map(updateCount));
      isCounting = false;
    }, COUNT_MS);
    return () => clearInterval(timer);
  });

  return { count: (room: Room): Promise<number> => ctx.rooms.count(room) };
});
