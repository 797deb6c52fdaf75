/** The parts of the client that `app/` uses beside the public ones. */
export { eventsOf, parsed } from './events.js';
export type { Jsonify, OperationOf } from './operation.js';
export type { SocketOperationOf } from './socket-operation.js';
