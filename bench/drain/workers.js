/** The small app with two workers. */
import { join } from 'node:path';
import { bootstrap } from 'fwkit';

await bootstrap({ dir: join(import.meta.dirname, '../.generated/small'), workers: 2 });
