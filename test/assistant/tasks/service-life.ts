import * as assert from 'uvu/assert';
import { ADDING } from '../base.js';
import type { Task } from '../task.js';

export const serviceLife: Task = {
  ask: `The service ctx.audit writes lines to the file audit.log at the root of the project, which it opens once, at the start, for appending. When the
app ends it appends the line "closed" and closes the file. ctx.audit.write(line) appends a line. POST /api/notes, which is there, writes
"<by> added <id>" with it, for example "ada added 3".`,
  given: ADDING,
  solution: {
    'services/audit.ts': `import { open } from 'node:fs/promises';
import { service } from 'fwkit';

export default service(async (_ctx, { onDestroy }) => {
  const file = await open('audit.log', 'a');
  onDestroy(async () => {
    await file.appendFile('closed\\n');
    await file.close();
  });
  return { write: (line: string): Promise<void> => file.appendFile(\`\${line}\\n\`) };
});
`,
    'api/notes.post.ts': `import { post } from 'fwkit';
import { z } from 'zod';

export default post({ body: z.object({ text: z.string(), by: z.string() }) }, async ({ body }, res, ctx) => {
  const note = ctx.notes.add(body.text, body.by);
  await ctx.audit.write(\`\${note.by} added \${note.id}\`);
  res.status(201);
  return note;
});
`,
  },
  async check({ send, project, stop }) {
    assert.is((await send('/api/notes', { text: 'Sleep', by: 'ada' })).status, 201);
    assert.is(project.read('audit.log'), 'ada added 3\n');
    assert.is((await send('/api/notes', { text: 'Wake', by: 'bob' })).status, 201);
    await stop();
    assert.is(project.read('audit.log'), 'ada added 3\nbob added 4\nclosed\n');
  },
};
