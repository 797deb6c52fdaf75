import { isObject, type Peers } from '../../kernel/index.js';
import type { Rooms } from './rooms.js';

const PUBLISHED = 'ws.published';

/** Have rooms span all processes that serve the app. */
export function joinPeers(rooms: Rooms, peers: Peers): void {
  if (peers.span === 'process') return;
  rooms.carry((room, data) => peers.send(PUBLISHED, { room }, data));
  peers.on(PUBLISHED, (head, body) => {
    if (isObject(head) && 'room' in head && typeof head.room === 'string') rooms.deliver(head.room, body);
  });
}
