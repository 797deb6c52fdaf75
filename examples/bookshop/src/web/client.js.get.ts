import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { get } from 'fwkit';

/** The typed client of fwk, for the scripts in public/: a single file without imports, which browsers can load. */
const source = await readFile(fileURLToPath(import.meta.resolve('fwkit/client')), 'utf8');

export default get((_req, res) => {
  res.type('text/javascript').header('Cache-Control', 'no-cache');
  return source;
});
