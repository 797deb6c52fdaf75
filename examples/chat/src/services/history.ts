import { log } from '@fwkit/redis/log';
import { service } from 'fwkit';
import type { Line } from '../lib/messages.js';
import { ROOMS, type Room } from '../lib/rooms.js';

/**
 * The messages of each room: the last 200 lines, for a week. Every client reads this log, so no client misses a line.
 */
export default service((_ctx, { peers }) => {
  const logs = new Map(
    ROOMS.map((room) => [room, log<Line>(peers, room, { keep: 200, maxAge: 7 * 86_400 })]),
  );
  return (room: Room) => {
    const found = logs.get(room);
    if (!found) throw new Error(`There is no room ${room}.`);
    return found;
  };
});
