/** A hand-written server: node:http, with GET and SET for a session's JSON. The cookie isn't signed. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createClient } from '@redis/client';

const { HOST, PORT, REDIS_URL } = process.env;
const WEEK_S = 604_800;
const redis = await createClient({ url: REDIS_URL }).connect();

const server = createServer(async ({ method, headers }, response) => {
  let id = /sid=([\w-]+)/.exec(headers.cookie ?? '')?.[1];
  const text = id && (await redis.get(`bench.http:${id}`));
  const session = text ? JSON.parse(text) : { n: 0 };
  if (method === 'POST') {
    id ??= randomUUID();
    session.n += 1;
    await redis.set(`bench.http:${id}`, JSON.stringify(session), { EX: WEEK_S });
    response.setHeader('Set-Cookie', `sid=${id}; HttpOnly`);
  }
  response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ n: session.n }));
});
server.listen(Number(PORT), HOST);
