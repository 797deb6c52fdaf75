import { slotKey } from '../kernel/index.js';

/** The rooms of this process's sockets, for whatever shows them to people. */
export interface OpenRooms {
  /** The rooms that have members, each with how many it has. */
  sizes(): Iterable<readonly [room: string, members: number]>;
}

/** Set by the plugin that has sockets; undefined where no version has any. */
export const OPEN_ROOMS = slotKey<{ rooms?: OpenRooms }>('ws.open-rooms');
