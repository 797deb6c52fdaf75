import { coded } from '../../kernel/index.js';
import type { Peers } from '../../peers/index.js';
import type { Rooms } from './rooms.js';
import type { Sendable } from './socket.js';

/** How long changes of member counts are collected before other processes are notified, in milliseconds. */
const REPORT_DELAY_MS = 400;

/** `ctx.rooms`: the rooms of the app's sockets, for routes, jobs and services. */
export interface CtxRooms {
  /** Send to all members of the room, in all processes: text, bytes, or anything else as JSON. */
  publish(room: string, data: Sendable): void;
  /**
   * The number of sockets in the room, in all processes that serve the app. Changes in other
   * processes arrive within a second. Rejects with `Unavailable` if the other processes cannot be
   * reached.
   */
  count(room: string): Promise<number>;
}

interface OpenRooms {
  readonly rooms: Rooms;
  readonly peers: Peers;
}

/** Created before the app serves, when no rooms exist yet. */
export class DeferredRooms implements CtxRooms {
  #opened: OpenRooms | undefined;

  open(rooms: Rooms, peers: Peers): void {
    if (this.#opened?.rooms === rooms) return;
    this.#opened = { rooms, peers };
  }

  publish(room: string, data: Sendable): void {
    this.#now.rooms.publish(room, data);
  }

  async count(room: string): Promise<number> {
    const { rooms, peers } = this.#now;
    return peers.span === 'process' ? rooms.size(room) : peers.roster(ROSTER).sum(room);
  }

  get #now(): OpenRooms {
    if (!this.#opened)
      throw coded(
        'FWK312',
        new Error(
          'ctx.rooms is unavailable before the app serves: use it in onStart, or when the service is called.',
        ),
      );
    return this.#opened;
  }
}

const ROSTER = 'ws.rooms';

/** Report the member counts of this process's rooms to the other processes. */
export function reportMemberCounts(rooms: Rooms, peers: Peers): void {
  if (peers.span === 'process') return;
  const roster = peers.roster(ROSTER);
  let telling: NodeJS.Timeout | undefined;
  rooms.onChange(() => {
    if (telling) return;
    telling = setTimeout(() => {
      telling = undefined;
      roster.set(new Map(rooms.sizes()));
    }, REPORT_DELAY_MS).unref();
  });
}
