import * as assert from 'uvu/assert';
import type { Task } from '../task.js';

export const download: Task = {
  ask: `GET /api/pictures/:name sends the file of that name from the directory uploads/ at the root of the project, also in part where a client asks for
a range of bytes. A name that is not there is 404, and no file outside of uploads/ can be had.`,
  given: { 'uploads/tea.txt': 'green or black', '.npmrc': 'token=secret' },
  solution: {
    'api/pictures/[name].get.ts': `import { file, get } from 'fwkit';

export default get((req) => file(req.params.name, { root: 'uploads' }));
`,
  },
  async check({ ask }) {
    assert.is((await ask('/api/pictures/tea.txt')).text, 'green or black');
    const part = await ask('/api/pictures/tea.txt', { headers: { range: 'bytes=0-4' } });
    assert.is(part.status, 206);
    assert.is(part.text, 'green');
    assert.is((await ask('/api/pictures/coffee.txt')).status, 404);
    for (const path of ['..%2fpackage.json', '%2e%2e%2f.npmrc', '..%5cpackage.json', '..%2f.env'])
      assert.ok((await ask(`/api/pictures/${path}`)).status >= 400, path);
  },
};
