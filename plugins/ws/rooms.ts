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
  #published: ((published: Published) => void) | undefined;
  /** The last number in `Published` of each process, this one included. */
  readonly #seen = new Map<string, number>();
  /** Messages since the start of this process, while members may arrive from the processes that it replaces. */
  #record: Recorded[] | undefined;
  #recordedBytes = 0;
  /** Members that have arrived, each with the last number of each process that it received before. */
  readonly #arrived = new Map<Member, Numbers>();

  /** `process` is the id of this process. */
  constructor(private readonly process = '') {}

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
    const number = (this.#seen.get(this.process) ?? 0) + 1;
    this.#deliver({ room, from: this.process, number, message, but });
    this.#published?.({ room, from: this.process, number, data: message.data });
  }

  /** Send a message of another process to the members of the room in this process. */
  deliver({ room, from, number, data }: Published): void {
    if (this.#record || this.#members.has(room))
      this.#deliver({ room, from, number, message: encodeMessage(data), but: undefined });
    else this.#seen.set(from, number);
  }

  /** Call `published` with each message that is published in this process. Supports one listener. */
  onPublish(published: (published: Published) => void): void {
    this.#published = published;
  }

  /** Record messages from now on, for members that arrive. */
  startRecording(): void {
    this.#record = [];
  }

  /** No more members arrive. */
  stopRecording(): void {
    this.#record = undefined;
    // A broker may deliver a message that the other process has received already.
    setTimeout(() => this.#arrived.clear(), LATE_MS).unref();
  }

  /** Whether a member that arrives misses no message. */
  get isRecording(): boolean {
    return this.#record !== undefined;
  }

  /** The last number of each process that a member has received or was not meant to receive. */
  seenBy(member: Member): Numbers {
    const seen = new Map(this.#seen);
    for (const [from, number] of this.#arrived.get(member) ?? [])
      if (number > (seen.get(from) ?? 0)) seen.set(from, number);
    return seen;
  }

  /** `member` comes from another process, where it received the messages up to `seen`. */
  arrive(member: Member, seen: Numbers): void {
    this.#arrived.set(member, seen);
  }

  /** Send the messages of a room that an arrived member has not received yet. */
  replay(room: string, member: Member): void {
    for (const one of this.#record ?? []) if (one.room === room) this.#send(one, member);
  }

  #deliver(published: Recorded): void {
    const { room, from, number, message } = published;
    this.#seen.set(from, number);
    if (this.#record) {
      this.#record.push(published);
      this.#recordedBytes += message.frame.length;
      if (this.#recordedBytes > MAX_RECORDED_BYTES) this.#record = undefined;
    }
    for (const member of this.#members.get(room) ?? []) this.#send(published, member);
  }

  #send({ from, number, message, but }: Recorded, member: Member): void {
    if (member === but) return;
    // Usually empty, which saves the search.
    if (this.#arrived.size > 0 && number <= (this.#arrived.get(member)?.get(from) ?? 0)) return;
    member.deliver(message);
  }
}

/** Milliseconds by which a message may arrive later than at another process. */
const LATE_MS = 5_000;
/** The most bytes of messages that are recorded. If there are more, members of rooms cannot arrive. */
const MAX_RECORDED_BYTES = 16 * 1024 * 1024;

/** The number of a message by process. */
type Numbers = ReadonlyMap<string, number>;

/** A message in a room. */
interface Published {
  readonly room: string;
  /** The process that published it, and how many messages it had published by then. */
  readonly from: string;
  readonly number: number;
  readonly data: string | Uint8Array;
}

interface Recorded extends Omit<Published, 'data'> {
  readonly message: Outgoing;
  readonly but: Member | undefined;
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

  get names(): readonly string[] {
    return [...this.#joined.keys()];
  }

  leaveAll(): void {
    for (const room of this.#joined.keys()) this.leave(room);
  }
}

const PUBLISHED = 'ws.published';

export function joinPeers(rooms: Rooms, peers: Peers): void {
  if (peers.span === 'process') return;
  rooms.onPublish(({ data, ...head }) => peers.send(PUBLISHED, head, data));
  peers.on(PUBLISHED, (head, data) => {
    if (isObject(head) && 'room' in head && typeof head.room === 'string') {
      const { room, from = '', number = 0 } = head as Partial<Published> & { room: string };
      rooms.deliver({ room, from, number, data });
    }
  });
}
