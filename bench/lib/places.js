import { join } from 'node:path';

/** All subjects send the static files and render the templates of the fwk projects. */
export const PUBLIC = join(import.meta.dirname, '../fwk/files/public');
export const VIEWS = join(import.meta.dirname, '../fwk/pages/views');
