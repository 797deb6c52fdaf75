import * as assert from 'uvu/assert';
import { begin, post, rpc } from '../../harness/rpc.js';
import type { Task } from '../task.js';

export const routeAsTool: Task = {
  ask: `DELETE /api/notes/:id answers {"deleted": <the id>} (ctx.notes.remove is there), or 404 with {"message":"No such note"}. The same route is an MCP
tool with the name "deleteNote" and a description, without a second handler, and takes the id as a number.`,
  given: {
    'services/notes.ts': `import { service } from 'fwkit';

export default service(() => {
  const notes = new Map([[1, 'Buy tea'], [2, 'Read Emma']]);
  return { all: () => [...notes.values()], remove: (id: number): boolean => notes.delete(id) };
});
`,
  },
  solution: {
    'api/notes/[id].del.ts': `import { del, error } from 'fwkit';
import { z } from 'zod';

export default del(
  {
    description: 'Deletes a note.',
    params: z.object({ id: z.number() }),
    response: z.object({ deleted: z.number() }),
    tool: { name: 'deleteNote' },
  },
  ({ params }, _res, ctx) => {
    if (!ctx.notes.remove(params.id)) throw error(404, { message: 'No such note' });
    return { deleted: params.id };
  },
);
`,
  },
  async check({ url, ask }) {
    const session = await begin(url);
    const listed = await post(url, rpc('tools/list'), session);
    assert.match(listed.text, '"deleteNote"');
    assert.match(listed.text, /"description":"\w+/);
    const call = () => post(url, rpc('tools/call', { name: 'deleteNote', arguments: { id: 1 } }), session);
    assert.match((await call()).text, /deleted/);
    assert.equal((await ask('/api/notes')).json, ['Read Emma']);
    assert.match((await call()).text, 'No such note');
    assert.equal((await ask('/api/notes/2', { method: 'DELETE' })).json, { deleted: 2 });
    const missing = await ask('/api/notes/2', { method: 'DELETE' });
    assert.is(missing.status, 404);
    assert.equal(missing.json, { message: 'No such note' });
  },
};
