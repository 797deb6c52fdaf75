/** hono on @hono/node-server, with the router that its documentation recommends for servers. */
import { serve as listen } from '@hono/node-server';
import { zValidator } from '@hono/zod-validator';
import { Hono } from 'hono';
import { setCookie } from 'hono/cookie';
import { streamSSE } from 'hono/streaming';
import { EVENTS, LIST, NOT_FOUND, RESOURCES, TOKEN } from '../lib/fixtures.js';
import { ORDER } from '../lib/schemas.js';

const serve = (define) => (port, hostname) => {
  const app = new Hono();
  app.notFound((c) => c.body(JSON.stringify(NOT_FOUND), 404, { 'Content-Type': 'application/problem+json' }));
  define(app);
  listen({ fetch: app.fetch, port, hostname });
};

const hello = (app) => app.get('/api/hello', (c) => c.json({ hello: 'world' }));

export const small = serve((app) => {
  hello(app);
  app.get('/api/v1/items', (c) => c.json(LIST));
  app.post('/api/v1/login', async (c) => {
    const body = await c.req.json();
    if (typeof body?.username !== 'string' || typeof body.password !== 'string') return c.json({}, 400);
    setCookie(c, 'token', TOKEN, { path: '/', httpOnly: true, sameSite: 'Lax' });
    return c.body(null, 204);
  });
});

export const checked = serve((app) =>
  app.post('/api/v1/orders', zValidator('json', ORDER), (c) => {
    const { title, price } = c.req.valid('json');
    return c.json({ title, price });
  }),
);

export const middlewares = serve((app) => {
  for (let count = 0; count < 3; count += 1) app.use((_c, next) => next());
  hello(app);
});

export const routes = serve((app) => {
  for (const resource of RESOURCES) {
    const path = `/api/v1/${resource}`;
    app.get(path, (c) => c.json({ resource }));
    app.post(path, (c) => c.json({ resource }));
    app.get(`${path}/:id`, (c) => c.json({ resource, id: c.req.param('id'), q: c.req.query('q') }));
    app.put(`${path}/:id`, (c) => c.json({ resource, id: c.req.param('id') }));
    app.get(`${path}/:id/parts/:partId`, (c) =>
      c.json({ resource, id: c.req.param('id'), part: c.req.param('partId') }),
    );
  }
});

export const events = serve((app) =>
  app.get('/api/events', (c) =>
    streamSSE(c, async (stream) => {
      for (const event of EVENTS) await stream.writeSSE({ data: JSON.stringify(event) });
    }),
  ),
);
