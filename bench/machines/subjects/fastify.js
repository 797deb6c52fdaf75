import cookie from '@fastify/cookie';
import session from '@fastify/session';
import { RedisStore } from 'connect-redis';
import fastify from 'fastify';
import { createClient } from 'redis';

const { HOST, PORT, REDIS_URL } = process.env;
const WEEK_MS = 604_800_000;
const client = await createClient({ url: REDIS_URL }).connect();

const app = fastify();
await app.register(cookie);
await app.register(session, {
  store: new RedisStore({ client, disableTouch: true }),
  secret: 's'.repeat(40),
  saveUninitialized: false,
  rolling: false,
  cookie: { secure: false, maxAge: WEEK_MS },
});
app.get('/api/cart', (req) => ({ n: req.session.n ?? 0 }));
app.post('/api/cart', (req) => {
  req.session.n = (req.session.n ?? 0) + 1;
  return { n: req.session.n };
});
await app.listen({ host: HOST, port: Number(PORT) });
