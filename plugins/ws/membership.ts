import { error } from '../http/index.js';
import type { Member, Rooms } from './rooms.js';

/** Memory of a name beside its own bytes. */
const ENTRY_OVERHEAD_BYTES = 64;

/** The rooms that one member is in. A client may choose their names, so their size is limited. */
export class Membership {
  readonly #rooms: Rooms;
  readonly #member: Member;
  /** In bytes. */
  readonly #limit: number;
  readonly #joined = new Map<string, number>();
  #size = 0;

  constructor(rooms: Rooms, member: Member, limit: number) {
    this.#rooms = rooms;
    this.#member = member;
    this.#limit = limit;
  }

  /** Throws HttpError with 400 where the names of its rooms exceed the limit. */
  join(room: string): void {
    if (this.#joined.has(room)) return;
    const size = ENTRY_OVERHEAD_BYTES + Buffer.byteLength(String(room));
    if (this.#size + size > this.#limit)
      throw error(400, 'This connection is in more rooms than it may be (ws.roomsLimit)');
    this.#size += size;
    this.#joined.set(room, size);
    this.#rooms.join(room, this.#member);
  }

  leave(room: string): void {
    this.#size -= this.#joined.get(room) ?? 0;
    this.#joined.delete(room);
    this.#rooms.leave(room, this.#member);
  }

  leaveAll(): void {
    for (const room of this.#joined.keys()) this.leave(room);
  }
}
