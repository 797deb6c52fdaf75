import { bootstrap } from 'fwkit';

await bootstrap({ workers: 2 });
