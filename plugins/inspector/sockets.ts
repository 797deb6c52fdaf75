import type { IncomingMessage } from 'node:http';
import { type BaseRoute, isObject, type Runtime } from '../../kernel/index.js';
import { maskedTarget } from './masking.js';

/** A socket that is open, as the channel `fwk.socket.open` has it. */
export interface OpenSocket {
  readonly raw: IncomingMessage;
  readonly route: string;
  readonly received: number;
  readonly sent: number;
  /** Milliseconds. */
  readonly duration: number;
}

/** The most sockets and rooms that are shown. */
const MAX_SHOWN = 200;

/** The sockets and rooms that are open, as many as are shown, and how many there are. */
export async function connectionsOf({ sockets, runtime, version }: Connected) {
  const hasSockets = version?.routes.some(({ kind }) => kind === 'ws') === true;
  const rooms = hasSockets ? await roomsOf(runtime) : [];
  return {
    sockets: shownSockets(sockets.values()),
    rooms: rooms.slice(0, MAX_SHOWN),
    counts: { sockets: sockets.size, rooms: rooms.length },
  };
}

interface Connected {
  readonly runtime: Runtime;
  readonly sockets: ReadonlyMap<object, OpenSocket>;
  readonly version: { readonly routes: readonly BaseRoute[] } | undefined;
}

const shownSockets = (sockets: Iterable<OpenSocket>) =>
  [...sockets].slice(0, MAX_SHOWN).map(({ raw, route, received, sent, duration }) => ({
    route,
    target: maskedTarget(raw.url ?? ''),
    received,
    sent,
    seconds: Math.round(duration / 1_000),
  }));

/** The rooms of this process, and how many members each has. Call it where a version with sockets serves: then they are there. */
async function roomsOf(runtime: Runtime): Promise<{ room: string; members: number }[]> {
  const rooms: unknown = await runtime.getOrCreate('ws.rooms', () => undefined);
  if (!hasSizes(rooms)) return [];
  return Array.from(rooms.sizes(), ([room, members]) => ({ room: String(room), members }));
}

const hasSizes = (rooms: unknown): rooms is { sizes(): Iterable<[string, number]> } =>
  isObject(rooms) && 'sizes' in rooms && typeof rooms.sizes === 'function';
