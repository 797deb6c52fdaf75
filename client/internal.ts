/** What `app/` uses of the client beside what is published. */
export { eventsOf, parsed } from './events.js';
export type { Jsonify, OperationOf } from './operation.js';
export type { SocketOperationOf } from './socket-operation.js';
