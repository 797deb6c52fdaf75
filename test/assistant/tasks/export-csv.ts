import * as assert from 'uvu/assert';
import type { Task } from '../task.js';

const LINES = 300_000;

export const exportCsv: Task = {
  ask: `GET /api/export sends what ctx.archive.lines() yields, an asynchronous generator of many lines of text, as text/csv, a line break after each. It
must never have all of it in memory, and read no further than the client does.`,
  given: {
    'services/archive.ts': `import { service } from 'fwkit';

let made = 0;

export default service(() => ({
  made: (): number => made,
  async *lines(): AsyncGenerator<string> {
    for (let line = 0; line < ${LINES}; line += 1) {
      made += 1;
      if (line % 1_000 === 0) await new Promise(setImmediate);
      yield \`\${line},a line of the archive that is as long as lines are\`;
    }
  },
}));
`,
    'api/made.get.ts': `import { get } from 'fwkit';

export default get((_req, _res, ctx) => ctx.archive.made());
`,
  },
  solution: {
    'api/export.get.ts': `import { get } from 'fwkit';

export default get(async function* (_req, res, ctx) {
  res.type('text/csv');
  for await (const line of ctx.archive.lines()) yield \`\${line}\\n\`;
});
`,
  },
  async check({ url, ask }) {
    const leaving = new AbortController();
    const slow = await fetch(`${url}/api/export`, { signal: leaving.signal });
    assert.match(slow.headers.get('content-type') ?? '', 'text/csv');
    const reader = slow.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    assert.match(first, /^0,a line/);
    // Who reads nothing more must not have all of it made: what is under way fits into buffers.
    let before = -1;
    for (let now = 0; now !== before; ) {
      before = now;
      now = (await ask('/api/made')).json as number;
    }
    assert.ok(before < LINES / 2, `${before} lines were made for a client that reads none`);
    leaving.abort();
    const whole = await (await fetch(`${url}/api/export`)).text();
    assert.is(whole.split('\n').length, LINES + 1);
    assert.match(whole.slice(-100), new RegExp(`\\n${LINES - 1},a line.*\\n$`));
  },
};
