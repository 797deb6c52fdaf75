import * as assert from 'uvu/assert';
import type { Task } from '../task.js';

export const pagedList: Task = {
  ask: `GET /api/pages?page=1&size=1 answers {"items": [...], "total": 2}, a page of the notes: page begins with 1, which it is if nobody says, and size is
1 to 50, else 10. Anything else is 422. While there is a next page, the header Link has its address: </api/pages?page=2&size=1>; rel="next". A client that has
this version of the answer already gets a 304, and a GET of /api/pages/cover/<name>, the file of that name in covers/, may be kept by everybody for a year. A
cover that is not there is 404, which nobody keeps for a year.`,
  given: { 'covers/tea.svg': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>' },
  solution: {
    'api/pages.get.ts': `import { createHash } from 'node:crypto';
import { get } from 'fwkit';
import { z } from 'zod';

const query = z.object({
  page: z.number().int().min(1).default(1),
  size: z.number().int().min(1).max(50).default(10),
});

export default get({ query }, ({ query: { page, size } }, res, ctx) => {
  const notes = ctx.notes.all();
  const version = createHash('sha256').update(JSON.stringify(notes)).digest('base64url');
  res.header('ETag', \`"\${version}"\`);
  if (page * size < notes.length) res.header('Link', \`</api/pages?page=\${page + 1}&size=\${size}>; rel="next"\`);
  return { items: notes.slice((page - 1) * size, page * size), total: notes.length };
});
`,
    'api/pages/cover/[name].get.ts': `import { file, get } from 'fwkit';

export default get((req, res) => {
  res.header('Cache-Control', 'public, max-age=31536000, immutable');
  return file(req.params.name, { root: 'covers' });
});
`,
  },
  async check({ url, ask }) {
    const first = await fetch(`${url}/api/pages?size=1`);
    assert.is(first.headers.get('link'), '</api/pages?page=2&size=1>; rel="next"');
    assert.equal(await first.json(), { items: [{ id: 1, text: 'Buy tea', by: 'ada' }], total: 2 });
    const condition = { 'if-none-match': first.headers.get('etag') ?? '' };
    assert.is((await fetch(`${url}/api/pages?size=1`, { headers: condition })).status, 304);
    const last = await ask('/api/pages?page=2&size=1');
    assert.is(last.headers.link, undefined);
    assert.is((last.json as { items: { id: number }[] }).items[0]?.id, 2);
    for (const wrong of ['size=0', 'size=51', 'page=0', 'page=two'])
      assert.is((await ask(`/api/pages?${wrong}`)).status, 422, wrong);
    const cover = await ask('/api/pages/cover/tea.svg');
    assert.match(cover.headers['cache-control'] ?? '', 'max-age=31536000');
    assert.match(cover.headers['cache-control'] ?? '', 'public');
    const none = await ask('/api/pages/cover/none.svg');
    assert.is(none.status, 404);
    assert.not.match(none.headers['cache-control'] ?? '', 'max-age=31536000');
  },
};
