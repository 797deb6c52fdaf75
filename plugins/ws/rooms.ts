import { isObject } from '../../kernel/index.js';
import type { Peers } from '../../peers/index.js';
import { error } from '../http/index.js';
import { encodeMessage, type Outgoing } from './outgoing.js';
import type { Sendable } from './socket.js';

export interface Member {
  deliver(message: Outgoing): void;
}

/**
 * The rooms of one process, by name: one namespace for all sockets of an app. `joinPeers` connects
 * them with the rooms of the other processes, on this machine and on others, and forwards published
 * messages in both directions.
 */
export class Rooms {
  readonly #members = new Map<string, Set<Member>>();
  #changed: (() => void) | undefined;
  #published: ((room: string, data: string | Uint8Array) => void) | undefined;

  join(room: string, member: Member): void {
    const members = this.#members.get(room);
    if (members) members.add(member);
    else this.#members.set(room, new Set([member]));
    this.#changed?.();
  }

  leave(room: string, member: Member): void {
    const members = this.#members.get(room);
    members?.delete(member);
    if (members?.size === 0) this.#members.delete(room);
    this.#changed?.();
  }

  size(room: string): number {
    return this.#members.get(room)?.size ?? 0;
  }

  /** The rooms that have members in this process, with the number of members. */
  *sizes(): IterableIterator<[room: string, members: number]> {
    for (const [room, { size }] of this.#members) yield [room, size];
  }

  /** Call `changed` whenever a member joins or leaves a room. Supports one listener. */
  onChange(changed: () => void): void {
    this.#changed = changed;
  }

  /** Send to all members of the room, here and in other processes, except to `but`. */
  publish(room: string, value: Sendable, but?: Member): void {
    const message = encodeMessage(value);
    this.#deliver(room, message, but);
    this.#published?.(room, message.data);
  }

  deliver(room: string, data: string | Uint8Array): void {
    if (this.#members.has(room)) this.#deliver(room, encodeMessage(data), undefined);
  }

  /** Call `published` with each message that is published in this process. Supports one listener. */
  onPublish(published: (room: string, data: string | Uint8Array) => void): void {
    this.#published = published;
  }

  #deliver(room: string, message: Outgoing, but: Member | undefined): void {
    for (const member of this.#members.get(room) ?? []) if (member !== but) member.deliver(message);
  }
}

/** Memory overhead of a name, in bytes. */
const ENTRY_OVERHEAD_BYTES = 64;

export class Membership {
  readonly #joined = new Map<string, number>();
  #size = 0;

  constructor(
    private readonly rooms: Rooms,
    private readonly member: Member,
    private readonly limit: number,
  ) {}

  /** Throws HttpError with status 400 if the names of its rooms exceed the limit. */
  join(room: string): void {
    if (this.#joined.has(room)) return;
    const size = ENTRY_OVERHEAD_BYTES + Buffer.byteLength(String(room));
    if (this.#size + size > this.limit)
      throw error(400, 'This connection has joined too many rooms (ws.roomsLimit)');
    this.#size += size;
    this.#joined.set(room, size);
    this.rooms.join(room, this.member);
  }

  leave(room: string): void {
    this.#size -= this.#joined.get(room) ?? 0;
    this.#joined.delete(room);
    this.rooms.leave(room, this.member);
  }

  leaveAll(): void {
    for (const room of this.#joined.keys()) this.leave(room);
  }
}

const PUBLISHED = 'ws.published';

export function joinPeers(rooms: Rooms, peers: Peers): void {
  if (peers.span === 'process') return;
  rooms.onPublish((room, data) => peers.send(PUBLISHED, { room }, data));
  peers.on(PUBLISHED, (head, body) => {
    if (isObject(head) && 'room' in head && typeof head.room === 'string') rooms.deliver(head.room, body);
  });
}
