/** express 5: `res.json`, `express.json()`, `express.static`, without the `X-Powered-By` header. */
import express from 'express';
import { LIST, NOT_FOUND, RESOURCES, TOKEN } from '../lib/fixtures.js';
import { PUBLIC } from '../lib/places.js';

const serve = (define) => (port, host) => {
  const app = express();
  app.disable('x-powered-by');
  // The other subjects don't send an ETag for computed responses.
  app.disable('etag');
  define(app);
  app.use((_req, res) => res.status(404).type('application/problem+json').send(JSON.stringify(NOT_FOUND)));
  app.listen(port, host);
};

const hello = (app) => app.get('/api/hello', (_req, res) => res.json({ hello: 'world' }));

export const small = serve((app) => {
  hello(app);
  app.get('/api/v1/items', (_req, res) => res.json(LIST));
  app.post('/api/v1/login', express.json(), ({ body }, res) => {
    if (typeof body?.username !== 'string' || typeof body.password !== 'string')
      return res.status(400).json({});
    res.status(204).cookie('token', TOKEN, { path: '/', httpOnly: true, sameSite: 'lax' }).end();
  });
});

export const middlewares = serve((app) => {
  for (let count = 0; count < 3; count += 1) app.use((_req, _res, next) => next());
  hello(app);
});

export const routes = serve((app) => {
  for (const resource of RESOURCES) {
    const path = `/api/v1/${resource}`;
    app.get(path, (_req, res) => res.json({ resource }));
    app.post(path, (_req, res) => res.json({ resource }));
    app.get(`${path}/:id`, ({ params, query }, res) => res.json({ resource, id: params.id, q: query.q }));
    app.put(`${path}/:id`, ({ params }, res) => res.json({ resource, id: params.id }));
    app.get(`${path}/:id/parts/:partId`, ({ params }, res) =>
      res.json({ resource, id: params.id, part: params.partId }),
    );
  }
});

export const files = serve((app) => app.use(express.static(PUBLIC)));
