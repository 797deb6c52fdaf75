import { setTimeout as pause } from 'node:timers/promises';
import { linkLibraries } from '../harness/libraries.js';
import type { Output } from '../harness/output.js';
import { type Files, type Layout, type Project, project } from '../harness/project.js';
import type { RedisServer } from '../harness/redis.js';
import { MAIN, production } from '../harness/settings.js';
import { postRoute, route } from '../harness/source.js';

// A project with a queue. Its jobs print `[begin x]`, and `[end x]` at their end.

/** How each client is made. */
export const CLIENTS: Readonly<Record<string, string>> = {
  ioredis: `import { Redis } from 'ioredis';
const connection = () => new Redis(process.env.REDIS_URL);`,
  '@redis/client': `import { createClient } from '@redis/client';
const connection = () => createClient({ url: process.env.REDIS_URL });`,
};

/** A config in which the options of `queues` can come from the environment. */
export const config = (client = 'ioredis', options = '{}') => `${CLIENTS[client]}
import { queues } from '@fwkit/queue';
import { defineConfig } from 'fwkit';
export default defineConfig({
  plugins: [queues({ connection, name: process.env.APP ?? 'shop' })],
  queues: { ...${options}, ...JSON.parse(process.env.QUEUES ?? '{}') },
});
`;

export const MAIL = `import { queue } from '@fwkit/queue';
export default queue(
  { concurrency: 4, backoff: { type: 'fixed', delay: 50 } },
  async ({ to, ms = 0, fail = 0, heeds = false }, ctx, job) => {
    console.log('[begin ' + to + ' ' + job.attempt + ']');
    if (ms > 0)
      await new Promise((resolve, reject) => {
        setTimeout(resolve, ms);
        job.signal.addEventListener('abort', () => {
          console.log('[aborted ' + to + ']');
          if (heeds) reject(job.signal.reason);
        });
      });
    if (job.attempt <= fail) throw new Error('no luck with ' + to);
    console.log('[end ' + to + ']');
  },
);
`;

/** Adds posted jobs: a list of `[data, options]`; answers with the ids. */
export const ADD = postRoute(
  '(req, res, ctx) => Promise.all(req.body.map(([data, options]) => ctx.queues.mail.add(data, options)))',
);

export function shop(files: Files = {}, layout: Layout = 'js'): Project {
  const all = { 'main.ts': MAIN, 'fwk.config.ts': config(), 'queues/mail.ts': MAIL, 'api/add.post.ts': ADD };
  const made = project({ ...all, 'api/ok.get.ts': route('get', '() => 1'), ...files }, layout);
  linkLibraries(made, 'ioredis', '@redis/client', 'bullmq', 'pg');
  return made;
}

export type Served = Awaited<ReturnType<typeof production>>;

const running = new Set<Served>();

/** One process of the app. `queues`: options of the plugin. `more`: further environment variables. */
export async function serve(
  made: Project,
  redis: Pick<RedisServer, 'url'>,
  queues: object = {},
  ...more: readonly string[]
): Promise<Served> {
  const variables = [`REDIS_URL=${redis.url}`, `QUEUES=${JSON.stringify(queues)}`, ...more];
  const served = await production(made, 'main.js', process.execPath, variables);
  running.add(served);
  void served.end.finally(() => running.delete(served));
  return served;
}

/** Processes left by a failed test would take the jobs of the next. */
export function killAll(): void {
  for (const { child } of running) child.kill('SIGKILL');
}

export const add = (url: string, ...jobs: (readonly [data: object, options?: object])[]): Promise<Response> =>
  fetch(`${url}/api/add`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(jobs),
  });

/** The texts printed as `[kind …]`, in order. */
export const printed = (output: Pick<Output, 'stdout'>, what: string): string[] =>
  [...output.stdout.matchAll(/^\[(\w+) (.*)\]$/gm)]
    .filter(([, kind]) => kind === what)
    .map(([, , rest = '']) => rest);

export const ends = (...outputs: Pick<Output, 'stdout'>[]): string[] =>
  outputs.flatMap((output) => printed(output, 'end'));

/** Resolves when `holds` returns true, for the output of several processes. */
export async function until(holds: () => boolean, what: () => string, limit = 20_000): Promise<void> {
  for (const end = performance.now() + limit; !holds(); await pause(10))
    if (performance.now() > end) throw new Error(`Not within ${limit} ms: ${what()}`);
}

/** Sends SIGTERM and resolves with the status. */
export async function stopped(served: Served): Promise<number | string | null> {
  served.child.kill('SIGTERM');
  return (await served.end).status;
}
