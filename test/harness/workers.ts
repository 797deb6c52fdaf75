import http from 'node:http';
import { ended, start } from './fwk.js';
import { request, type Sent } from './http.js';
import { Output } from './output.js';
import type { Project } from './project.js';
import { route } from './source.js';

/** An entry file that serves with workers; `options` are those of bootstrap(), beside host and port. */
export const workersMain = (
  options = 'workers: 2',
  before = '',
): string => `import { bootstrap } from 'fwkit';
${before}
console.log('serves', ...(await bootstrap({ host: 'localhost', port: 0, ${options} })));
`;

/** A route that tells which process answers. */
export const whoami = { 'api/pid.ts': route('get', '() => process.pid') };

/** A connection of its own for each request: the next one goes to another worker. */
const fresh = new http.Agent({ keepAlive: false });

export type Team = Awaited<ReturnType<typeof team>>;

/** Starts an app with workers; resolves when all of them serve. */
export async function team(made: Project, entry = 'main.js', env: readonly string[] = []) {
  const { child, output, end } = run(made, entry, env);
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

/** Starts an entry file that may end by itself. */
export function run(made: Project, entry = 'main.js', env: readonly string[] = []) {
  const child = start('/usr/bin/env', [...env, process.execPath, entry], made.root);
  const output = new Output(child);
  return { child, output, end: ended(child, entry, output) };
}

/** Asks without a pause until `stop`, over connections that are kept and over new ones; gives what failed. */
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
