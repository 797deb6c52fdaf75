import { RedisStore } from 'connect-redis';
import express from 'express';
import session from 'express-session';
import { createClient } from 'redis';

const { HOST, PORT, REDIS_URL } = process.env;
const client = await createClient({ url: REDIS_URL }).connect();

const app = express().disable('etag');
app.use(
  session({
    store: new RedisStore({ client, disableTouch: true }),
    secret: 's'.repeat(40),
    resave: false,
    saveUninitialized: false,
  }),
);
app.get('/api/cart', (req, res) => res.json({ n: req.session.n ?? 0 }));
app.post('/api/cart', (req, res) => {
  req.session.n = (req.session.n ?? 0) + 1;
  res.json({ n: req.session.n });
});
app.listen(Number(PORT), HOST);
