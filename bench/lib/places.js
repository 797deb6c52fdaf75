import { join } from 'node:path';

/** The files that every subject sends, and the templates that it renders, are those of the fwk projects. */
export const PUBLIC = join(import.meta.dirname, '../fwk/files/public');
export const VIEWS = join(import.meta.dirname, '../fwk/pages/views');
