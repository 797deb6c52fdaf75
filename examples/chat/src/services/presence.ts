import { service } from 'fwkit';
import type { ToPage } from '../lib/messages.js';
import { ROOMS, type Room } from '../lib/rooms.js';

/** How often it is looked how many are in a room, in milliseconds. Others are told of a change within a second. */
const LOOK_MS = 500;

/** Tells those who are in a room how many they are: on all machines, also after one of them has died without a word. */
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
      // Where Redis is away nobody knows; it is looked again.
      await Promise.allSettled(ROOMS.map(look));
      isLooking = false;
    }, LOOK_MS);
    return () => clearInterval(timer);
  });

  return { count: (room: Room): Promise<number> => ctx.rooms.count(room) };
});
