import type { Peers } from '../../kernel/index.js';
import type { Rooms } from './rooms.js';

interface Published {
  readonly room: string;
  readonly data: string | Uint8Array;
}

/** Have rooms span all processes that serve the app. */
export function joinPeers(rooms: Rooms, peers: Peers): void {
  rooms.carry((room, data) => peers.send('ws.published', { room, data } satisfies Published));
  peers.on('ws.published', (message) => {
    if (isPublished(message)) rooms.deliver(message.room, message.data);
  });
}

const isPublished = (message: unknown): message is Published =>
  typeof message === 'object' && message !== null && 'room' in message && 'data' in message;
