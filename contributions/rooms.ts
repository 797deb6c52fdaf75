import { type Runtime, slotKey } from '../kernel/index.js';

/** The rooms of this process's sockets, for whatever shows them to people. */
export interface OpenRooms {
  /** The rooms that have members, each with how many it has. */
  sizes(): Iterable<readonly [room: string, members: number]>;
}

const OPEN_ROOMS = slotKey<{ rooms?: OpenRooms }>('ws.open-rooms');

/** Where the plugin that has sockets puts their rooms; empty where no version has any sockets. */
export const openRoomsOf = (runtime: Runtime): { rooms?: OpenRooms } => runtime.slot(OPEN_ROOMS, () => ({}));
