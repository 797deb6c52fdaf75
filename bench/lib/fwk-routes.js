/** Writes the 200 routes of apps/fwk/routes: as `tsc` would leave them, one file each. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RESOURCES } from './fixtures.js';

const source = (method, args, value) => `import { ${method} } from 'fwkit';

export default ${method}((${args}) => (${value}));
`;

export function writeFwkRoutes() {
  const root = join(import.meta.dirname, '../apps/fwk/routes/api');
  rmSync(root, { recursive: true, force: true });
  for (const resource of RESOURCES) {
    const name = `resource: '${resource}'`;
    const folder = join(root, 'v1', resource);
    const files = {
      'index.get.js': source('get', '', `{ ${name} }`),
      'index.post.js': source('post', '', `{ ${name} }`),
      '[id].get.js': source('get', '{ params, query }', `{ ${name}, id: params.id, q: query.q }`),
      '[id].put.js': source('put', '{ params }', `{ ${name}, id: params.id }`),
      '[id]/parts/[partId].get.js': source(
        'get',
        '{ params }',
        `{ ${name}, id: params.id, part: params.partId }`,
      ),
    };
    mkdirSync(join(folder, '[id]/parts'), { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  }
}
