import * as assert from 'uvu/assert';
import { ADDING } from '../base.js';
import type { Task } from '../task.js';

export const liveNotes: Task = {
  ask: `GET /api/notes/live is a stream of server-sent events: from then on each note that is added (ctx.notes.subscribe tells) is an event
named "note" with the note as JSON. When a client leaves, its subscription ends.`,
  given: ADDING,
  solution: {
    'api/notes/live.get.ts': `import { sse } from 'fwkit';

export default sse(({ ctx, emit }) => ctx.notes.subscribe((note) => void emit('note', note)));
`,
  },
  async check({ url, send }) {
    const leaving = new AbortController();
    const response = await fetch(`${url}/api/notes/live`, { signal: leaving.signal });
    assert.is(response.headers.get('content-type')?.split(';')[0], 'text/event-stream');
    await send('/api/notes', { text: 'One', by: 'ada' });
    await send('/api/notes', { text: 'Two', by: 'bob' });
    let text = '';
    const decoder = new TextDecoder();
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(bytes, { stream: true });
      if (text.includes('Two')) break;
    }
    leaving.abort();
    const data = [...text.matchAll(/^data: ?(.*)$/gm)].map(([, line = '']) => JSON.parse(line) as unknown);
    assert.equal(data, [
      { id: 3, text: 'One', by: 'ada' },
      { id: 4, text: 'Two', by: 'bob' },
    ]);
    assert.is(text.match(/^event: ?note$/gm)?.length, 2);
  },
};
