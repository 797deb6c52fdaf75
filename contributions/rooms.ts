import { type Runtime, slotKey } from '../kernel/index.js';

/** The rooms of this process's sockets, for code that displays them. */
export interface OpenRooms {
  /** The rooms that have members, each with its number of members. */
  sizes(): Iterable<readonly [room: string, members: number]>;
}

const OPEN_ROOMS = slotKey<{ rooms?: OpenRooms }>('ws.open-rooms');

/** Where the plugin with sockets stores their rooms; empty if no version has sockets. */
export const openRoomsOf = (runtime: Runtime): { rooms?: OpenRooms } => runtime.slot(OPEN_ROOMS, () => ({}));
