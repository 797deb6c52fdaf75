import * as assert from 'uvu/assert';
import type { Task } from '../task.js';

export const noteById: Task = {
  ask: `GET /api/notes/:id answers one note of ctx.notes as JSON. An id that is not a number is refused with 422 before the
handler runs. An id that no note has is answered with 404 and the JSON {"message":"No such note"}. Check the id with zod.`,
  solution: {
    'api/notes/[id].get.ts': `import { error, get } from 'fwkit';
import { z } from 'zod';

export default get({ params: z.object({ id: z.number() }) }, ({ params }, _res, ctx) => {
  const note = ctx.notes.find(params.id);
  if (!note) throw error(404, { message: 'No such note' });
  return note;
});
`,
  },
  async check({ ask }) {
    assert.equal((await ask('/api/notes/2')).json, { id: 2, text: 'Read <Emma>', by: 'bob' });
    assert.is((await ask('/api/notes/two')).status, 422);
    const missing = await ask('/api/notes/9');
    assert.is(missing.status, 404);
    assert.equal(missing.json, { message: 'No such note' });
  },
};
