import { linkLibraries } from '../harness/libraries.js';
import { type Files, type Project, project } from '../harness/project.js';
import { di, postRoute, route, sseRoute, wsModule } from '../harness/source.js';
import { whoami, workersMain } from '../harness/workers.js';

/** An app whose machines are connected by the Redis at REDIS_URL, with the client that CLIENT names. */
export const files: Files = {
  'main.ts': workersMain(),
  'fwk.config.ts': `import { redis } from '@fwkit/redis';
import { createClient } from '@redis/client';
import { defineConfig } from 'fwkit';
import { Redis } from 'ioredis';
const { REDIS_URL: url, CLIENT } = process.env;
const client = CLIENT === 'ioredis' ? () => new Redis(url) : () => createClient({ url });
export default defineConfig({
  plugins: [redis({ client, name: 'shop' })],
  redis: { heartbeat: 300, giveUp: 2_000, lease: 1_000 },
});
`,
  ...whoami,
  'di/one.ts': di('session', `() => ({ n: 0 })`),
  'di/two.ts': di('session', `() => ({ n: 0 })`),
  'api/read.ts': route('get', '(req, res, ctx) => [ctx.one.n, ctx.two.n]'),
  'api/add/[key].ts': postRoute(`async (req, res, ctx) => {
      const value = ctx[req.params.key];
      value.n += 1;
      await new Promise((resolve) => setTimeout(resolve, 1));
      return value.n;
    }`),
  'ws/rooms/[room].ts': wsModule(`({ params, join, publish, onMessage, send }) => {
      join(params.room);
      onMessage((message) => { publish(params.room, message); });
      send(String(process.pid));
    }`),
  'api/publish/[room].ts': postRoute(
    '(req, res, ctx) => { ctx.rooms.publish(req.params.room, { from: "a route" }); }',
  ),
  'api/count/[room].ts': route('get', '(req, res, ctx) => ctx.rooms.count(req.params.room)'),
  'services/news.ts': `import { log } from '@fwkit/redis/log';
import { service } from 'fwkit';
export default service((ctx, { peers }) => log(peers, 'news', { keep: 10_000 }));
`,
  'api/news.get.ts': sseRoute('(events) => events.ctx.news.replay(events)'),
  'api/news.post.ts': route('post', '(req, res, ctx) => ctx.news.append(req.body)'),
};

export function appOf(more: Files = {}): Project {
  const made = project({ ...files, ...more }, 'js');
  linkLibraries(made, '@redis/client', 'ioredis');
  return made;
}

export const variables = (url: string, client: 'redis' | 'ioredis'): string[] => [
  `REDIS_URL=${url}`,
  `CLIENT=${client}`,
  `FWK_SECRET=${'f'.repeat(40)}`,
];

/** The next events of a stream after the ID `last`, if given. */
export async function events(
  url: string,
  count: number,
  last?: string,
): Promise<{ id: string; n: number }[]> {
  const abort = new AbortController();
  const response = await fetch(`${url}/api/news`, {
    headers: last === undefined ? {} : { 'last-event-id': last },
    signal: abort.signal,
  });
  const found: { id: string; n: number }[] = [];
  let text = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    const all = text.split('\n\n');
    text = all.pop() ?? '';
    for (const one of all) {
      const [, id = ''] = /^id: (.*)$/m.exec(one) ?? [];
      const [, data] = /^data: (.*)$/m.exec(one) ?? [];
      if (data !== undefined) found.push({ id, n: JSON.parse(data).n });
    }
    if (found.length >= count) break;
  }
  abort.abort();
  return found.slice(0, count);
}
