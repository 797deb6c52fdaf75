import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import type { Task } from '../task.js';

export const nightlyJob: Task = {
  ask: `Each night at half past four in Berlin the job "cleanup" calls ctx.notes.cleanup(), which is there. It runs once, however many machines serve the
app. The package @fwkit/cron is installed.`,
  given: {
    'services/notes.ts': `import { service } from 'fwkit';

export default service(() => ({
  all: () => [] as string[],
  cleanup: async (): Promise<void> => {},
}));
`,
  },
  solution: {
    'fwk.config.ts': `import { cron } from '@fwkit/cron';
import { defineConfig } from 'fwkit';

export default defineConfig({ plugins: [cron()] });
`,
    'cron/cleanup.ts': `import { job } from '@fwkit/cron';

export default job('30 4 * * *', (ctx) => ctx.notes.cleanup(), { timezone: 'Europe/Berlin' });
`,
  },
  async check({ project }) {
    const { stdout } = await fwk(project, 'routes');
    assert.match(stdout, /^CRON +cleanup +(0 )?30 4 \* \* \* +Europe\/Berlin$/m);
  },
};
