import type { IncomingMessage } from 'node:http';
import { isObject, type Runtime } from '../../kernel/index.js';
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

export const shownSockets = (sockets: Iterable<OpenSocket>) =>
  [...sockets].slice(0, MAX_SHOWN).map(({ raw, route, received, sent, duration }) => ({
    route,
    target: maskedTarget(raw.url ?? ''),
    received,
    sent,
    seconds: Math.round(duration / 1_000),
  }));

/** The rooms of this process, and how many members each has. Call it where a version with sockets serves: then they are there. */
export async function roomsOf(runtime: Runtime): Promise<{ room: string; members: number }[]> {
  const rooms: unknown = await runtime.getOrCreate('ws.rooms', () => undefined);
  if (!hasSizes(rooms)) return [];
  const shown: { room: string; members: number }[] = [];
  for (const [room, members] of rooms.sizes()) {
    if (shown.length === MAX_SHOWN) break;
    shown.push({ room: String(room), members });
  }
  return shown;
}

const hasSizes = (rooms: unknown): rooms is { sizes(): Iterable<[string, number]> } =>
  isObject(rooms) && 'sizes' in rooms && typeof rooms.sizes === 'function';
