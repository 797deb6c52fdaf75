import { bootstrap } from 'fwkit';

const urls = await bootstrap();
console.log(`listening on ${urls.join()}`);
