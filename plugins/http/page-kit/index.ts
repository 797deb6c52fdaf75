export { EventStreams } from './event-streams.js';
export { readPage } from './page.js';
