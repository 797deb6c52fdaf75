import { bootstrap } from 'fwkit';

await bootstrap();
