import { suite, type Test } from 'uvu';
import { type Dev, dev } from './fwk.js';
import { type Answer, request, type Sent } from './http.js';
import { type Files, type Layout, layouts, type Project, project } from './project.js';

/** The server under test. */
export interface Site {
  readonly dev: Dev;
  readonly project: Project;
  readonly layout: Layout;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Sends the path exactly as written. */
  raw(path: string, sent?: Sent): Promise<Answer>;
}

type Cases = (test: Test<Record<string, never>>, site: Site) => void;

const PLAIN: Files = {
  'fwk.config.ts': `import { defineConfig } from 'fwkit';\nexport default defineConfig({ http: { direct: false } });\n`,
};

/** Runs the same cases against one `fwk dev` in each layout. */
export function served(files: Files, cases: Cases): void {
  for (const layout of layouts) serve(layout, layout, files, cases);
}

/** The same, and once more with bodies and responses through Node's own streams. */
export function servedBothWays(files: Files, cases: Cases): void {
  served(files, cases);
  serve('js, http.direct off', 'js', { ...files, ...PLAIN }, cases);
}

function serve(name: string, layout: Layout, files: Files, cases: Cases): void {
  const test = suite<Record<string, never>>(name, {});
  const made = project(files, layout);
  let running: Dev | undefined;
  const site: Site = {
    get dev() {
      if (!running) throw new Error('fwk dev is not running.');
      return running;
    },
    project: made,
    layout,
    fetch: (path, init) => site.dev.fetch(path, init),
    raw: (path, sent) => request(site.dev.url, path, sent),
  };
  test.before(async () => {
    try {
      running = await dev(made);
    } catch (error) {
      // uvu drops errors of a before hook.
      console.error(error);
      throw error;
    }
  });
  test.after(async () => void (await running?.stop()));
  cases(test, site);
  test.run();
}
