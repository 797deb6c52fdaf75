import { bootstrap } from 'fwkit';

console.log('listening on', (await bootstrap()).join());
