import * as assert from 'uvu/assert';
import { request } from '../../harness/http.js';
import { inProduction } from '../in-production.js';
import type { Task } from '../task.js';

export const staticCache: Task = {
  ask: `/logo.svg and /about.html are static files: a logo of any look, and a page that says "About". Browsers keep static files for an hour without
asking when the app is in production.`,
  solution: {
    'public/logo.svg': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>\n',
    'public/about.html': '<!doctype html><title>About</title><h1>About</h1>\n',
    'fwk.config.ts': `import { defineConfig } from 'fwkit';

export default defineConfig({ static: { maxAge: 3_600 } });
`,
  },
  async check({ ask, project, stop }) {
    assert.match((await ask('/logo.svg')).headers['content-type'] ?? '', 'image/svg+xml');
    assert.match((await ask('/about.html')).text, 'About');
    await stop();
    await inProduction(project, async (url) => {
      assert.match((await request(url, '/logo.svg')).headers['cache-control'] ?? '', 'max-age=3600');
    });
  },
};
