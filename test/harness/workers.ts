import http from 'node:http';
import { launch } from './fwk.js';
import { request, type Sent } from './http.js';
import { type Files, type Project, project } from './project.js';
import { module, route, service } from './source.js';

/** An entry file that serves with workers; `options` are options of bootstrap(), in addition to host and port. */
export const workersMain = (
  options = 'workers: 2',
  before = '',
): string => `import { bootstrap } from 'fwkit';
${before}
console.log('serves', ...(await bootstrap({ host: 'localhost', port: 0, ${options} })));
`;

/** A route that answers with its process id. */
export const whoami = { 'api/pid.ts': route('get', '() => process.pid') };

/** An app with a service that logs its lifetime, and a route that ends on request. */
export const files: Files = {
  'main.ts': workersMain(),
  ...whoami,
  'api/version.ts': route('get', '() => 1'),
  'services/told.ts': service(`(ctx, { onDestroy }) => {
       console.log('[made ' + process.pid + ']');
       onDestroy(() => console.log('[destroyed ' + process.pid + ']'));
       return {};
     }`),
  // Waits for the file \`go\`, because no signal reaches a worker.
  'lib/go.ts': `import { existsSync, watch } from 'node:fs';
export const untilGo = () =>
  new Promise((resolve) => {
    const look = () => existsSync('go') && resolve(watcher.close());
    const watcher = watch('.', look);
    look();
  });
`,
  'api/slow.ts': module(
    'get',
    `import { untilGo } from '../lib/go.js';
     export default get(async () => {
       console.log('[slow began ' + process.pid + ']');
       await untilGo();
       return 'slow';
     });`,
  ),
};
export const made = (more: Files = {}) => project({ ...files, ...more }, 'js');
/** A module that no version boots with. */
export const broken = 'export const none = 1;\n';

/** A separate connection for each request, so that the next one reaches another worker. */
const fresh = new http.Agent({ keepAlive: false });

export type Team = Awaited<ReturnType<typeof team>>;

/** Starts an app with workers; resolves when all of them serve. */
export async function team(made: Project, entry = 'main.js', env: readonly string[] = [], node?: string) {
  const { child, output, end } = run(made, entry, env, node);
  const [, url = ''] = await output.waitFor(/^serves (http:\/\/\S+:\d+)\/$/m);
  const ask = (path: string, sent: Sent = {}) => request(url, path, { ...sent, agent: fresh });
  /** The pids that answer the next requests, sorted. */
  const pids = async (count = 4) => {
    const seen = new Set<number>();
    for (let asked = 0; asked < count; asked += 1) seen.add(Number((await ask('/api/pid')).json));
    return [...seen].sort((a, b) => a - b);
  };
  return {
    made,
    child,
    output,
    end,
    url,
    ask,
    pids,
    stop: async () => {
      child.kill('SIGTERM');
      return end;
    },
  };
}

/** Sends SIGHUP and waits until new ones serve. */
export async function reload({ child, output }: Team) {
  const from = output.mark();
  child.kill('SIGHUP');
  await output.waitFor(/"Reloaded: \d+ new workers are serving\."/, from);
}

/** Starts an entry file that may exit. */
export function run(made: Project, entry = 'main.js', env: readonly string[] = [], node = process.execPath) {
  return launch('/usr/bin/env', [...env, node, entry], made.root);
}

/** Sends requests without a pause until `stop`, over kept and new connections; returns the failures. */
export function load(url: string, path: string) {
  const kept = new http.Agent({ keepAlive: true });
  let isOver = false;
  let answered = 0;
  const failed: string[] = [];
  const ask = async (agent: http.Agent) => {
    while (!isOver)
      await request(url, path, { agent }).then(
        ({ status, text }) => {
          answered += 1;
          if (status !== 200) failed.push(`${status} ${text}`);
        },
        (cause: Error) => failed.push(String(cause)),
      );
  };
  const running = Promise.all([kept, kept, kept, fresh, fresh].map(ask));
  return {
    async stop() {
      isOver = true;
      await running;
      kept.destroy();
      return { answered, failed };
    },
  };
}
