import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import type { Task } from '../task.js';

export const ownConvention: Task = {
  ask: `A convention of this project's own, as a plugin in src/lib/feeds.ts: each file src/feeds/<name>.ts exports by default \`feed((ctx) => items)\`, of which
items are texts, and is GET /feeds/<name>, text/plain, one item a line. \`feed\` comes from src/lib/feeds.ts. A file there that exports anything else is
reported by \`npx fwk routes\` with its name. Add src/feeds/notes.ts with the texts of all notes. The routes are in \`npx fwk routes\`, and go through the
middlewares as others do.`,
  given: {
    'middlewares/1.mark.ts': `import { middleware } from 'fwkit';

export default middleware((_req, res, _ctx, next) => {
  res.header('x-mark', 'yes');
  return next();
});
`,
  },
  solution: {
    'fwk.config.ts': `import { defineConfig } from 'fwkit';
import { feeds } from './lib/feeds.js';

export default defineConfig({ plugins: [feeds()] });
`,
    'lib/feeds.ts': `import type { Handler, RuntimeCtx } from 'fwkit';
import { type Convention, httpRoutes } from 'fwkit/http';
import { brand, type Plugin } from 'fwkit/plugin';

interface Feed {
  readonly method: 'GET';
  readonly metadata: object;
  readonly handler: Handler;
}

const feedsMade = brand<Feed>('notes.feed');

export const feed = (items: (ctx: RuntimeCtx) => readonly string[]): Feed =>
  feedsMade.mark({
    method: 'GET',
    metadata: {},
    handler: (_req, res, ctx) => {
      res.type('text/plain');
      return items(ctx).join('\\n');
    },
  });

const convention: Convention = {
  suffixes: {},
  endpointOf: (exported) => (feedsMade.has(exported) ? exported : undefined),
  missing: 'has no default export. Export default feed((ctx) => items).',
  unwrapped: 'has a default export that is not a feed. Export default feed((ctx) => items).',
};

export const feeds = (): Plugin =>
  httpRoutes({ name: 'feeds', directory: 'feeds', mount: '/feeds', convention });
`,
    'feeds/notes.ts': `import { feed } from '../lib/feeds.js';

export default feed((ctx) => ctx.notes.all().map(({ text }) => text));
`,
  },
  async check({ ask, project, stop }) {
    const notes = await ask('/feeds/notes');
    assert.is(notes.status, 200);
    assert.is(notes.text.trimEnd(), 'Buy tea\nRead <Emma>');
    assert.match(notes.headers['content-type'] ?? '', 'text/plain');
    assert.is(notes.headers['x-mark'], 'yes');
    assert.match((await fwk(project, 'routes')).stdout, /^GET +\/feeds\/notes$/m);
    await stop();
    project.write('feeds/wrong.ts', 'export default 7;\n');
    const wrong = await fwk(project, 'routes');
    assert.is.not(wrong.status, 0);
    assert.match(wrong.stderr, 'feeds/wrong.ts');
  },
};
