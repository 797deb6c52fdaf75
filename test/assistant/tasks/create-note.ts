import * as assert from 'uvu/assert';
import type { Task } from '../task.js';

export const createNote: Task = {
  ask: `POST /api/notes takes the JSON {"text": …, "by": …}, adds the note with ctx.notes.add and answers 201 with it. The text has 1 to 200
characters, "by" at least one; what does not fit is refused with 422. Use zod. A key that is neither must not reach the note.`,
  solution: {
    'api/notes.post.ts': `import { post } from 'fwkit';
import { z } from 'zod';

const Body = z.object({ text: z.string().min(1).max(200), by: z.string().min(1) });

export default post({ body: Body }, ({ body }, res, ctx) => {
  res.status(201);
  return ctx.notes.add(body.text, body.by);
});
`,
  },
  async check({ ask, send }) {
    const made = await send('/api/notes', { text: 'Sleep', by: 'ada', id: 99 });
    assert.is(made.status, 201);
    assert.equal(made.json, { id: 3, text: 'Sleep', by: 'ada' });
    for (const wrong of [
      { text: '', by: 'ada' },
      { text: 'x'.repeat(201), by: 'ada' },
      { text: 'x' },
      [],
      'x',
    ])
      assert.is((await send('/api/notes', wrong)).status, 422, JSON.stringify(wrong));
    assert.is(((await ask('/api/notes')).json as unknown[]).length, 3);
  },
};
