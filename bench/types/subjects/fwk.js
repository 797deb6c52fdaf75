/** fwk: the types that `fwk types` generates from the same files, and calls with `fwkit/client`. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import * as shapes from '../shapes.js';
import { route, routeFile } from './plain.js';

const FWK = join(import.meta.dirname, '../../../cli/fwk.js');

/** Runs `fwk <args>` in a project. */
export const fwk = (root, ...args) =>
  execFileSync(process.execPath, [FWK, ...args, '--dir', root], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_ENV: '' },
  });

const calling = (index) => `api('/api/${shapes.nameOf(index)}/:id')`;

function call(index) {
  if (shapes.reads(index))
    return `  const r = await ${calling(index)}.get({ params: { id: 1 }, query: { q: 'x' } });
  if (r.ok) text = r.data.row.createdAt + r.data.more[0]?.at + r.data.n${index};
  else if (r.status === 404) text = r.error.message;
`;
  return `  const r = await ${calling(index)}.post({ params: { id: 1 }, body: ${shapes.SENT} });
  if (r.ok) text = r.data.row.createdAt + r.data.extra;
  else if (r.status === 409) number = r.error.price;
`;
}

export default {
  title: 'fwk',
  routeFile,
  route,
  prepare: (root) => fwk(root, 'types'),
  opening: `import { createClient } from 'fwkit/client';\nconst api = createClient('http://x');\n`,
  call,
  completion: `const answer = await ${calling(0)}.get({ params: { id: 1 }, query: {} });\nif (answer.ok) answer.data.`,
};
